import { UsageError } from '../../base/errors.ts';
import type { GivenFlags } from '../../options/read-flags.ts';
import { recordingBehind } from '../shared/reading-options.ts';

/** Callers above callees, or below them. */
export type TreeOrder = 'caller' | 'callee';

/** `report` as it is asked for: the recording, its flags, and the order of `--tree`. */
type PerfMeaning = {
  readonly file: string | undefined;
  readonly flags: GivenFlags;
  readonly treeOrder: TreeOrder | undefined;
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
 * The file and flags that `report` is asked for in perf's spelling. An option whose value may be
 * left out takes the next word: where that can't be a value, it is the file.
 */
export function asPerfMeans(word: string | undefined, given: GivenFlags): PerfMeaning {
  let file = word;
  let treeOrder: TreeOrder | undefined;
  const flags: Record<string, unknown> = { ...given };
  const takeFile = (value: string): void => {
    if (file !== undefined)
      throw new UsageError(`${file} and ${value}: this command reads one recording`);
    file = value;
  };
  const { limit, callGraph } = given;
  if (typeof limit === 'string' && file === undefined && !/^[-+\d]/.test(limit.trim())) {
    takeFile(recordingBehind('-n', 'a number of rows', limit));
    flags.limit = true;
  }
  if (typeof callGraph === 'string' && isCallGraph(callGraph)) {
    const { order, ...tree } = readCallGraph(callGraph);
    treeOrder = order;
    Object.assign(flags, tree);
  } else if (callGraph !== undefined) {
    flags.tree = true;
    if (typeof callGraph === 'string')
      takeFile(recordingBehind('-g', 'graph, caller or callee', callGraph));
  }
  if (given.inverted) {
    flags.tree = true;
    treeOrder = 'caller';
  }
  if (given.showInfo) flags.header = true;
  if (given.showTotalPeriod && given.fields === undefined) {
    flags.fields = `overhead,period,sample,${fieldsOf(String(given.sort))}`;
  }
  return { file, flags, treeOrder };
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
function readCallGraph(text: string): {
  tree?: true;
  order?: TreeOrder;
  percentLimit?: string;
} {
  const parts = text.split(',').filter((part) => part !== '' && !SAME.includes(part));
  if (parts.includes('none')) return {};
  let percentLimit: string | undefined;
  let order: TreeOrder = 'caller';
  for (const part of parts) {
    if (part === 'caller' || part === 'callee') order = part;
    else if (/^[\d.]+$/.test(part)) percentLimit ??= part;
    else
      throw new UsageError(`-g ${text}: a call tree of perf-ts has no ${part}`, [ELSEWHERE[part]]);
  }
  return { tree: true, order, ...(percentLimit !== undefined && { percentLimit }) };
}
