import { UsageError } from '../../base/errors.ts';
import type { ReportFlags } from './report-rows.ts';

/** Options as commander hands them over, in perf's spelling too. */
type GivenFlags = ReportFlags & {
  readonly input?: string;
  readonly rows?: string;
  readonly callGraph?: string | true;
  readonly inverted?: boolean;
  readonly showInfo?: boolean;
  readonly showTotalPeriod?: boolean;
  readonly headerOnly?: boolean;
  readonly stats?: boolean;
};

/** Words of `-g graph,0.5,caller` that a call tree has in any case. */
const SAME = ['graph', 'function', 'percent', 'fp'];
const ELSEWHERE: Readonly<Record<string, string>> = {
  flat: 'perf-ts report without -g is flat',
  fractal: 'shares are of the whole: leave it out',
  folded: 'perf-ts export --format folded -o -',
  address: 'perf-ts script prints addresses',
  branch: 'perf-ts script -F +brstack prints branches',
  count: '--weight samples',
  period: '--weight period',
};

/**
 * What `report` is asked for in perf's spelling. An option whose value may be left out takes the next word:
 * where that can't be a value, it is the file.
 */
export function asPerfMeans(
  word: string | undefined,
  given: GivenFlags,
): { file: string | undefined; options: GivenFlags } {
  let file = word;
  const options: GivenFlags = { ...given };
  const takeFile = (value: string): void => {
    if (file !== undefined)
      throw new UsageError(`${file} and ${value}: this command reads one recording`);
    file = value;
  };
  if (given.rows !== undefined) options.limit = given.rows;
  const { limit } = options;
  if (typeof limit === 'string' && file === undefined && !/^\d+$/.test(limit.trim())) {
    if (!/^[-+\d]/.test(limit)) {
      takeFile(limit);
      options.limit = true;
    }
  }
  if (given.callGraph !== undefined) {
    const value = given.callGraph;
    if (value === true) options.tree = true;
    else if (isCallGraph(value)) Object.assign(options, readCallGraph(value));
    else {
      takeFile(value);
      options.tree = true;
    }
  }
  if (given.inverted) Object.assign(options, { tree: true, treeOrder: 'caller' });
  if (given.showInfo) options.header = true;
  if (given.showTotalPeriod && given.fields === undefined) {
    options.fields = `overhead,period,sample,${fieldsOf(given.sort)}`;
  }
  return { file, options };
}

function fieldsOf(sort: string): string {
  return sort === 'sym' ? 'dso,sym' : sort;
}

function isCallGraph(text: string): boolean {
  return text
    .split(',')
    .every(
      (part) =>
        part === '' ||
        /^[\d.]+$/.test(part) ||
        /^(?:none|caller|callee)$/.test(part) ||
        SAME.includes(part) ||
        Object.hasOwn(ELSEWHERE, part),
    );
}

/** `graph,0.5,caller`: the first number is the least share in per cent. */
function readCallGraph(text: string): Partial<ReportFlags> {
  const parts = text.split(',').filter((part) => part !== '' && !SAME.includes(part));
  if (parts.includes('none')) return {};
  let leastPercent: string | undefined;
  let treeOrder: 'caller' | 'callee' = 'caller';
  for (const part of parts) {
    if (part === 'caller' || part === 'callee') treeOrder = part;
    else if (/^[\d.]+$/.test(part)) leastPercent ??= part;
    else
      throw new UsageError(`-g ${text}: a call tree of perf-ts has no ${part}`, [ELSEWHERE[part]]);
  }
  return {
    tree: true,
    treeOrder,
    ...(leastPercent !== undefined && { percentLimit: leastPercent }),
  };
}
