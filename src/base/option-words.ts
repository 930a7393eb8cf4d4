import { FailedError, UsageError } from './errors.ts';

/** Options of the library by those of the command line. */
const OPTION_OF_FLAG: Readonly<Record<string, string>> = {
  '-a': 'systemWide',
  '-C': 'cpus',
  '-c': 'count',
  '-D': 'delayMs',
  '-e': 'events',
  '-F': 'freq',
  '-G': 'cgroup',
  '-g': "callGraph: 'fp'",
  '-I': 'intervalMs',
  '-k': 'clock',
  '-m': 'ringPages',
  '-o': 'output',
  '-p': 'pids',
  '-r': 'repeat',
  '-t': 'tids',
  '--all-kernel': "only: 'kernel'",
  '--all-user': "only: 'user'",
  '--as-root': 'asRoot',
  '--call-graph': 'callGraph',
  '--control': 'control',
  '--duration': 'durationMs',
  '--for-each-cgroup': 'cgroups',
  '--max-size': 'maxBytes',
  '--namespaces': 'namespaces',
  '--no-inherit': 'inherit: false',
  '--no-node-flags': 'nodeFlags: false',
  '--node-flags': 'nodeFlags: true',
  '--off-cpu': 'offCpu',
  '--overwrite': 'overwrite',
  '--per-thread': 'perThread',
  '--stat': 'stat',
  '--switch-output': 'switchOutput',
  '--user': 'user',
};

/** A flag alone, not within a word, a path or another flag; with the word for its value: `SECONDS`. */
const FLAG = /(?<![\w/-])(--?[A-Za-z][A-Za-z-]*)(?![\w=/-])(?: [A-Z]{3,}\b)?/g;

/**
 * An error for callers of the library: messages and hints name its options instead of flags, and have
 * no lines that only a terminal makes sense of: carets below a word, command lines of perf-ts.
 */
export function inOptionWords(error: unknown): unknown {
  // Classes of their own have words of their own.
  if (error instanceof UsageError && error.name === 'UsageError') {
    return new UsageError(withOptions(error.message), hintsOf(error), error.code);
  }
  if (error instanceof FailedError && error.name === 'FailedError') {
    const { exitStatus, code } = error;
    return new FailedError(withOptions(error.message), hintsOf(error), exitStatus, code);
  }
  return error;
}

function hintsOf({ hints }: UsageError | FailedError): string[] {
  const isCaret = (hint: string | undefined) => hint !== undefined && /^\s*\^+\s*$/.test(hint);
  return hints
    .filter((hint, index) => !isCaret(hint) && !isCaret(hints[index + 1]))
    .filter((hint) => !/\bperf-ts [a-z]/.test(hint))
    .map(withOptions);
}

function withOptions(text: string): string {
  return text.replace(FLAG, (words, flag: string) => OPTION_OF_FLAG[flag] ?? words);
}
