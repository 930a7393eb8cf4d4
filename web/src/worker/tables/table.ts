import { NONE } from '../../../../src/base/brand.ts';
import { type IntColumn, mapInts } from '../../../../src/base/int-column.ts';
import type { Slices } from '../../../../src/base/slices.ts';
import { KIND_GROUPS } from '../../../../src/formats/export/kind-group.ts';
import { sumTree } from '../../../../src/profile/analysis/flat-report.ts';
import type { CallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import { sumByKey } from '../../../../src/profile/analysis/weight-sums.ts';
import { dsoPlace } from '../../../../src/profile/dso-place.ts';
import { namesakesOfThreads } from '../../../../src/questions/threads.ts';
import type {
  Interval,
  TableKey,
  TableParams,
  TableResult,
  TableRow,
} from '../messages/messages.ts';
import { matchAll, parseQuery } from '../recording/query.ts';
import type { Selected } from '../recording/selected.ts';
import { compareText } from '../recording/tree.ts';
import { TableIntervals, type TableKeys } from './table-intervals.ts';
import { type RatioScope, TableRatios } from './table-ratios.ts';

/** One table of one selection: columns by key; rows are made of those that are looked at. */
export type WholeTable = {
  readonly tree: CallTree;
  readonly sums: Sums;
  /** Keys that have a row, ascending. */
  readonly rows: Int32Array;
  readonly names: RowNames;
  readonly intervals: TableIntervals;
  readonly ratios: TableRatios;
  /** The order that was asked for last: each screen of rows asks for it. */
  order: { readonly asked: string; readonly keys: OrderedKeys } | null;
};

/** The keys that pass a filter, in an order. */
type OrderedKeys = { readonly keys: Int32Array; readonly problem: string | null };

type Sums = ReturnType<typeof sumTree>;
type RowName = Pick<TableRow, 'index' | 'name' | 'kind' | 'group' | 'dso' | 'place'>;
type RowNames = { readonly name: (key: number) => string; readonly row: (key: number) => RowName };

export function* computeTable(selected: Selected, by: TableKey): Slices<WholeTable> {
  const { tree } = yield* selected.callees();
  yield;
  const keys = keysOf(selected, tree, by);
  const { ofSample, ofTreeRow, count } = keys;
  const sums =
    ofSample === null ? sumTree(tree, ofTreeRow, count) : sumSamples(selected, ofSample, count);
  yield;
  if (by === 'dso' || by === 'file') takeOutLost(sums, tree.lost);
  const rows = new Int32Array(count);
  let length = 0;
  for (let key = 0; key < count; key++) if (sums.seen[key] === 1) rows[length++] = key;
  return {
    tree,
    sums,
    rows: rows.subarray(0, length),
    names: nameRows(selected, by),
    intervals: new TableIntervals(selected, keys),
    ratios: new TableRatios(selected, by, count),
    order: null,
  };
}

function lostFuncOf({ profile }: Selected): number {
  const { lostStack, stacks, frames } = profile;
  return lostStack === NONE ? NONE : frames.func[stacks.frame[lostStack]];
}

function keysOf(selected: Selected, tree: CallTree, by: TableKey): TableKeys {
  const { recording } = selected;
  const { funcs, samples, threads, strings, dsos } = recording.profile;
  if (by === 'thread') {
    const namesakes = namesakesOfThreads(threads);
    const ofSample = mapInts(samples.thread, (thread) => namesakes[thread]);
    return { ofTreeRow: tree.group, ofSample, count: threads.length, lost: NONE };
  }
  // −1, none, is key 0 of files and DSOs.
  const ofFunc =
    by === 'function' ? null : (by === 'file' ? funcs.file : funcs.dso).map((value) => value + 1);
  const ofTreeRow = tree.group.map((group) => {
    const func = group < funcs.length ? group : group - funcs.length;
    return ofFunc === null ? func : ofFunc[func];
  });
  const count =
    by === 'function' ? funcs.length : by === 'file' ? strings.length + 1 : dsos.length + 1;
  const lost = by === 'function' ? lostFuncOf(selected) : NONE;
  return { ofTreeRow, ofSample: null, count, lost };
}

/** A sample is of one thread, so self and total are the same. */
function sumSamples({ samples: rows, weights }: Selected, keys: IntColumn, count: number): Sums {
  const { weight, samples } = sumByKey(rows, weights, keys, count);
  const seen = Uint8Array.from(samples, (of) => (of > 0 ? 1 : 0));
  return { self: weight, total: weight, selfSamples: samples, seen };
}

/** Takes out what was lost, which is in no file and no DSO, not even in none. */
function takeOutLost({ self, total, selfSamples, seen }: Sums, lost: number): void {
  if (lost === 0) return;
  self[0] -= lost;
  total[0] -= lost;
  if (selfSamples[0] === 0 && total[0] <= 0) seen[0] = 0;
}

function nameRows({ recording }: Selected, by: TableKey): RowNames {
  const { dsos, strings, threads } = recording.profile;
  switch (by) {
    case 'function': {
      const name = (index: number) => recording.funcName[index];
      return {
        name,
        row: (index) => ({
          index,
          name: name(index),
          kind: recording.kindOf(index),
          group: KIND_GROUPS[recording.groups[index]],
          dso: recording.dsoPathOf(index),
          place: recording.placeOf(index),
        }),
      };
    }
    case 'dso': {
      const name = (key: number) => dsos[key - 1]?.name ?? '[unknown]';
      return {
        name,
        row: (key) => ({
          index: key - 1,
          name: name(key),
          kind: 'unknown',
          group: 'unknown',
          dso: dsoPlace(dsos[key - 1]),
          place: '',
        }),
      };
    }
    case 'file': {
      const name = (key: number) => (key === 0 ? '[unknown]' : strings[key - 1]);
      const row = (key: number): RowName => ({
        index: key - 1,
        name: name(key),
        kind: 'unknown',
        group: 'unknown',
        dso: '',
        place: '',
      });
      return { name, row };
    }
    case 'thread': {
      const name = (index: number) => {
        const { pid, tid } = threads[index];
        return `${recording.threadName[index]} ${pid}/${tid}`;
      };
      return {
        name,
        row: (index) => ({
          index,
          name: name(index),
          kind: 'root',
          group: 'unknown',
          dso: '',
          place: '',
        }),
      };
    }
  }
}

/** The rows that the page shows of a table; with intervals as far as they are known. */
export function pageOfTable(
  table: WholeTable,
  selected: Selected,
  params: TableParams,
): TableResult {
  const { tree, sums, names, intervals, ratios } = table;
  const keys = keysOfPage(table, params);
  const ratioScope = ratioScopeOf(params);
  const rows: TableRow[] = [];
  for (const key of keys.shown) {
    rows.push({
      ...names.row(key),
      self: sums.self[key],
      total: sums.total[key],
      selfShare: shareOf(tree, sums.self[key]),
      totalShare: shareOf(tree, sums.total[key]),
      samples: sums.selfSamples[key],
      selfInterval: intervals.self(key),
      totalInterval: intervals.total(key),
      ratios: params.intervals ? ratios.of(key, ratioScope) : [],
    });
  }
  return {
    rows,
    length: keys.length,
    problem: keys.problem,
    weight: tree.weight,
    samples: tree.samples,
    unit: selected.weights.unit,
    ratios: ratios.columns,
    ratioScope,
  };
}

/** Ratios are of totals in a table that is sorted by these, as in `report`. */
function ratioScopeOf({ sort, by }: TableParams): RatioScope {
  return sort === 'total' && by !== 'thread' ? 'total' : 'self';
}

/** A page of the table with the intervals of its rows. */
export function* pageWithIntervals(
  table: WholeTable,
  selected: Selected,
  params: TableParams,
): Slices<TableResult> {
  const { tree, sums, intervals, ratios } = table;
  const { shown } = keysOfPage(table, params);
  yield* intervals.compute(
    shown,
    (key) => shareOf(tree, sums.self[key]),
    (key) => shareOf(tree, sums.total[key]),
  );
  yield* ratios.compute(ratioScopeOf(params));
  return pageOfTable(table, selected, params);
}

/** The interval of the self share of one row; null where the model gives none. */
export function* intervalOfSelf(
  { tree, sums, intervals }: WholeTable,
  key: number,
): Slices<Interval | null> {
  yield* intervals.compute(
    Int32Array.of(key),
    () => shareOf(tree, sums.self[key]),
    () => shareOf(tree, sums.total[key]),
  );
  return intervals.self(key);
}

function shareOf({ weight }: CallTree, part: number): number {
  return weight === 0 ? 0 : part / weight;
}

/** Which keys pass the filter: how many, and those of the page in order. */
function keysOfPage(
  table: WholeTable,
  params: TableParams,
): Pick<TableResult, 'length' | 'problem'> & { readonly shown: Int32Array } {
  const { sort, descending, filter, first, count } = params;
  const asked = JSON.stringify([sort, descending, filter]);
  if (table.order?.asked !== asked) table.order = { asked, keys: orderKeys(table, params) };
  const { keys, problem } = table.order.keys;
  return { length: keys.length, shown: keys.subarray(first, first + count), problem };
}

function orderKeys(
  { rows, names, sums }: WholeTable,
  { sort, descending, filter }: TableParams,
): OrderedKeys {
  const query = parseQuery(filter);
  const isMatch = (at: number): boolean => {
    const key = rows[at];
    if (query === null || query.matches(names.name(key))) return true;
    const { dso, place } = names.row(key);
    return query.matches(dso) || query.matches(place);
  };
  const matched = query === null ? null : matchAll(query, rows.length, isMatch);
  const admitted = rows.filter((_, at) => matched === null || matched.flags[at] === 1);
  const sign = descending ? -1 : 1;
  const { self, total, selfSamples } = sums;
  if (sort === 'name') {
    admitted.sort((a, b) => sign * compareText(names.name(a), names.name(b)));
  } else {
    const column = { self, total, samples: selfSamples }[sort];
    admitted.sort(
      (a, b) => sign * (column[a] - column[b]) || total[b] - total[a] || self[b] - self[a],
    );
  }
  return { keys: admitted, problem: matched?.problem ?? null };
}
