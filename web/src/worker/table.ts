import { NONE } from '../../../src/base/brand.ts';
import type { CallTree } from '../../../src/profile/call-tree.ts';
import { sumTree } from '../../../src/profile/flat-report.ts';
import { type StepSums, sumStepsByGroup, sumStepsByKey } from '../../../src/profile/share-steps.ts';
import { parseQuery } from '../search.ts';
import type { Interval, TableKey, TableParams, TableResult, TableRow } from './messages.ts';
import type { Selected } from './selected.ts';

/** Every row of one table, unsorted; the same for one selection. */
export type WholeTable = { readonly rows: readonly TableRow[]; readonly tree: CallTree };

/** What rows are made of. Keys are 0 … `count` − 1. */
type Keys = {
  readonly ofTreeRow: Int32Array;
  readonly ofSample: (sample: number) => number;
  readonly count: number;
  readonly isOfSample: boolean;
};

/** Intervals of totals cost as much as all the rest, so they are asked for on their own. */
export function computeTable(selected: Selected, by: TableKey, withIntervals: boolean): WholeTable {
  const { tree, rowOfSample } = selected.callees('none');
  const keys = keysOf(selected, tree, rowOfSample, by);
  const sums = keys.isOfSample
    ? sumSamples(selected, keys)
    : sumTree(tree, keys.ofTreeRow, keys.count);
  if (by === 'dso' || by === 'file') takeOutLost(sums, tree.lost);
  const intervals = withIntervals ? intervalsOf(selected, tree, rowOfSample, keys) : null;
  const name = nameRows(selected, by);
  const lostKey = by === 'function' ? lostFuncOf(selected) : NONE;
  const rows: TableRow[] = [];
  for (let key = 0; key < keys.count; key++) {
    if (sums.seen[key] === 0) continue;
    const self = sums.self[key] as number;
    const total = sums.total[key] as number;
    const selfShare = tree.weight === 0 ? 0 : self / tree.weight;
    const totalShare = tree.weight === 0 ? 0 : total / tree.weight;
    const isKnown = intervals !== null && key !== lostKey;
    rows.push({
      ...name(key),
      self,
      total,
      selfShare,
      totalShare,
      samples: sums.selfSamples[key] as number,
      selfInterval: isKnown ? intervals.self(selfShare, key) : null,
      totalInterval: isKnown ? intervals.total(totalShare, key) : null,
    });
  }
  return { rows, tree };
}

function lostFuncOf({ profile }: Selected): number {
  const { lostStack, stacks, frames } = profile;
  return lostStack === NONE ? NONE : (frames.func[stacks.frame[lostStack] as number] as number);
}

function keysOf(
  { recording }: Selected,
  tree: CallTree,
  rowOfSample: Int32Array,
  by: TableKey,
): Keys {
  const { funcs, samples, threads, strings, dsos } = recording.profile;
  if (by === 'thread') {
    return {
      ofTreeRow: tree.group,
      ofSample: (sample) => samples.thread[sample] as number,
      count: threads.length,
      isOfSample: true,
    };
  }
  // −1, none, is key 0 of files and DSOs.
  const ofFunc =
    by === 'function' ? null : (by === 'file' ? funcs.file : funcs.dso).map((value) => value + 1);
  const ofTreeRow = tree.group.map((group) => {
    const func = group < funcs.length ? group : group - funcs.length;
    return ofFunc === null ? func : (ofFunc[func] as number);
  });
  return {
    ofTreeRow,
    ofSample: (sample) => {
      const row = rowOfSample[sample] as number;
      return row === NONE ? NONE : (ofTreeRow[row] as number);
    },
    count: by === 'function' ? funcs.length : by === 'file' ? strings.length + 1 : dsos.length + 1,
    isOfSample: false,
  };
}

type Sums = ReturnType<typeof sumTree>;

/** A sample is of one thread, so self and total are the same. */
function sumSamples({ samples, weights }: Selected, { ofSample, count }: Keys): Sums {
  const self = new Float64Array(count);
  const selfSamples = new Int32Array(count);
  const seen = new Uint8Array(count);
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i] as number;
    const key = ofSample(sample);
    self[key]! += weights.values[sample] as number;
    selfSamples[key]!++;
    seen[key] = 1;
  }
  return { self, total: self, selfSamples, seen };
}

/** What was lost is in no file and no DSO, not even in none. */
function takeOutLost({ self, total, selfSamples, seen }: Sums, lost: number): void {
  if (lost === 0) return;
  self[0]! -= lost;
  total[0]! -= lost;
  if (selfSamples[0] === 0 && (total[0] as number) <= 0) seen[0] = 0;
}

type Intervals = {
  readonly self: (share: number, key: number) => Interval;
  readonly total: (share: number, key: number) => Interval;
};

/** Null where the model gives none. */
function intervalsOf(
  { estimator, profile, samples }: Selected,
  tree: CallTree,
  rowOfSample: Int32Array,
  keys: Keys,
): Intervals | null {
  if (estimator === null || tree.weight === 0) return null;
  // Samples that are not selected are in no category, so they must not add to its uncertainty.
  const keyOfSample = new Int32Array(profile.samples.length).fill(NONE);
  for (let i = 0; i < samples.length; i++) {
    keyOfSample[samples[i] as number] = keys.ofSample(samples[i] as number);
  }
  const { steps } = estimator;
  const self = sumStepsByKey(steps, keyOfSample, keys.count);
  const byGroup = { prefix: tree.prefix, group: keys.ofTreeRow };
  const total = keys.isOfSample ? self : sumStepsByGroup(steps, rowOfSample, byGroup, keys.count);
  // Of what was lost, any part may be this row's.
  const arrived = (tree.weight - tree.lost) / tree.weight;
  const intervalOf = (sums: StepSums) => (share: number, key: number) => {
    if (arrived <= 0) return { low: 0, high: 1 };
    const { low, high } = estimator.intervalOf(share / arrived, sums, key);
    return { low: low * arrived, high: high * arrived + 1 - arrived };
  };
  return { self: intervalOf(self), total: intervalOf(total) };
}

type RowName = Pick<TableRow, 'index' | 'name' | 'kind' | 'dso' | 'place'>;

function nameRows({ recording }: Selected, by: TableKey): (key: number) => RowName {
  const { dsos, strings, threads } = recording.profile;
  switch (by) {
    case 'function':
      return (index) => ({
        index,
        name: recording.funcName[index] as string,
        kind: recording.kindOf(index),
        dso: recording.dsoPathOf(index),
        place: recording.placeOf(index),
      });
    case 'dso':
      return (key) => {
        const dso = dsos[key - 1];
        const name = dso?.name ?? '[unknown]';
        return { index: key - 1, name, kind: 'unknown', dso: dso?.path ?? '', place: '' };
      };
    case 'file':
      return (key) => {
        const name = key === 0 ? '[unknown]' : (strings[key - 1] as string);
        return { index: key - 1, name, kind: 'unknown', dso: '', place: '' };
      };
    case 'thread':
      return (index) => {
        const { comm, pid, tid } = threads[index]!;
        const name = `${comm || '[unknown]'} ${pid}/${tid}`;
        return { index, name, kind: 'root', dso: '', place: '' };
      };
  }
}

/** The rows that the page shows of a table. */
export function pageOfTable(
  { rows, tree }: WholeTable,
  selected: Selected,
  { sort, descending, filter, first, count }: TableParams,
): TableResult {
  const query = parseQuery(filter);
  const admitted = rows.filter(
    ({ name, dso, place }) =>
      query === null || query.matches(name) || query.matches(dso) || query.matches(place),
  );
  const sign = descending ? -1 : 1;
  const sorted = admitted.toSorted((a, b) =>
    sort === 'name'
      ? sign * (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
      : sign * (a[sort] - b[sort]) || b.total - a.total || b.self - a.self,
  );
  return {
    rows: sorted.slice(first, first + count),
    length: admitted.length,
    weight: tree.weight,
    samples: tree.samples,
    unit: selected.weights.unit,
  };
}
