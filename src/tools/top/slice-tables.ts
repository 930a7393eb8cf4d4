import { NONE } from '../../base/brand.ts';
import type { IntColumn } from '../../base/int-column.ts';
import { innermostFuncs } from '../../profile/analysis/call-nodes.ts';
import { computeFlatReport, type Figures } from '../../profile/analysis/flat-report.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import { computeGroupedReport } from '../../profile/analysis/grouped-report.ts';
import { sumByKey } from '../../profile/analysis/weight-sums.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { reportThreads } from '../../questions/threads.ts';
import type { SumRow, TableSums } from './share-sums.ts';

/** Tables that are always kept, and one of other keys where it was asked for. */
export type SliceTableKey = 'sym' | 'dso' | 'comm' | 'thread' | 'grouped';

/** Rows that one slice adds to each table of one event. */
export type SliceTables = { readonly [K in SliceTableKey]?: TableSums };

/**
 * The tables of `rows`, samples of one event, with the squares that their intervals need. `keys`: also
 * a row per combination of these.
 */
export function tablesOfSlice(
  profile: Profile,
  weights: Weights,
  rows: Int32Array,
  keys: readonly GroupKey[] | null,
): SliceTables {
  const report = computeFlatReport(profile, weights, rows);
  const threadTables = reportThreads({ profile, weights, rows, estimator: null });
  const { strings, funcs, dsos, threads, samples } = profile;
  const squares = weights.values.map((weight) => weight * weight);
  const whole = {
    weight: report.weight,
    samples: report.samples,
    squares: rows.reduce((sum, row) => sum + squares[row], 0),
  };
  const funcOf = innermostFuncs(profile);
  const dsoName = (dso: number): string => (dso === NONE ? '[unknown]' : dsos[dso].name);
  const dsoOfFunc = (func: number): number => (func === NONE ? NONE : funcs.dso[func]);
  const squaresBy = (keyOfSample: IntColumn, keys: number) =>
    sumByKey(rows, { ...weights, values: squares }, keyOfSample, keys).weight;
  const byFunc = squaresBy(funcOf, funcs.length);
  // Key 0 is no DSO.
  const byDso = squaresBy(
    funcOf.map((func) => dsoOfFunc(func) + 1),
    dsos.length + 1,
  );
  const byThread = squaresBy(samples.thread, threads.length);
  const byComm = squaresBy(samples.comm, strings.length);
  const table = (sums: SumRow[]): TableSums => ({ ...whole, rows: sums });
  return {
    sym: table(
      report.bySymbol.map((row) =>
        sumRow(
          [dsoName(dsoOfFunc(row.func)), strings[funcs.name[row.func]]],
          row,
          byFunc[row.func],
        ),
      ),
    ),
    dso: table(report.byDso.map((row) => sumRow([dsoName(row.dso)], row, byDso[row.dso + 1]))),
    thread: table(
      threadTables.byThread.map((row) => {
        const { comm, pid, tid } = threads[row.thread];
        return sumRow([comm, String(pid), String(tid)], row, byThread[row.thread]);
      }),
    ),
    comm: table(
      threadTables.byComm.map((row) =>
        sumRow([strings[row.comm] || '[unknown]'], row, byComm[row.comm]),
      ),
    ),
    ...(keys !== null && { grouped: table(groupedRows(profile, weights, rows, keys, squares)) }),
  };
}

function groupedRows(
  profile: Profile,
  weights: Weights,
  rows: Int32Array,
  keys: readonly GroupKey[],
  squares: Float64Array,
): SumRow[] {
  const report = computeGroupedReport(profile, weights, rows, keys);
  const squared = computeGroupedReport(profile, { ...weights, values: squares }, rows, keys);
  const selfSquares = new Map(squared.rows.map(({ names, self }) => [names.join('\0'), self]));
  return report.rows.map((row) => sumRow(row.names, row, selfSquares.get(row.names.join('\0'))));
}

function sumRow(names: readonly string[], figures: Figures, squares = 0): SumRow {
  const { self, total, selfSamples } = figures;
  return { names, self, total, samples: selfSamples, squares };
}
