/** The abilities of the terminal. */
export type Terminal = {
  /** Columns that a line may take. */
  readonly columns: number;
  /** Whether more than ASCII may be printed. */
  readonly hasUnicode: boolean;
};

/** Wider than this no text is comfortable to read. */
const MAX_COLUMNS = 100;
const MIN_COLUMNS = 40;

/** The terminal behind `stream`; a wide one where that has no columns, as a file or a pipe. */
export function describeTerminal(
  stream: { columns?: number },
  env: NodeJS.ProcessEnv = process.env,
): Terminal {
  const columns = stream.columns ?? MAX_COLUMNS;
  return {
    columns: Math.max(MIN_COLUMNS, Math.min(MAX_COLUMNS, columns)),
    hasUnicode: hasUnicode(env),
  };
}

/** Whether the locale has more than ASCII. */
export function hasUnicode(env: NodeJS.ProcessEnv = process.env): boolean {
  // The first of these that is set decides, as in setlocale(3).
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG || '';
  return env.TERM !== 'dumb' && /utf-?8/i.test(locale);
}
