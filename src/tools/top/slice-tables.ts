import { NONE } from '../../base/brand.ts';
import { type IntColumn, mapInts } from '../../base/int-column.ts';
import { levelOfTable, ProfileLevels } from '../../code/levels/levels-of.ts';
import { computeFlatReport, type Figures } from '../../profile/analysis/flat-report.ts';
import type { GroupKey } from '../../profile/analysis/group-keys.ts';
import { computeGroupedReport } from '../../profile/analysis/grouped-report.ts';
import { innermostFuncs } from '../../profile/analysis/trees/call-nodes.ts';
import { sumByKey } from '../../profile/analysis/weight-sums.ts';
import { type FrameLevel, isKindOfCode } from '../../profile/frame-level.ts';
import { fileAndName } from '../../profile/func-label.ts';
import { isJitCode } from '../../profile/jit-dso.ts';
import { ALL_JIT } from '../../profile/join-same-code.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { namesakesOfThreads, reportThreads } from '../../questions/threads.ts';
import type { SumRow, TableSums } from './share-sums.ts';

/** Tables that are always kept, and one of other keys where it was asked for. */
export type SliceTableKey = 'sym' | 'dso' | 'comm' | 'thread' | 'grouped';

/** Rows that one slice adds to each table of one event. */
export type SliceTables = { readonly [K in SliceTableKey]?: TableSums };

/** The frames of a slice, with the JIT code of all processes in one DSO: rows are functions, whoever ran them. */
export function levelsOfSlice(slice: Profile): ProfileLevels {
  const dsos = slice.dsos.map((dso) => (isJitCode(dso) ? ALL_JIT : dso));
  return new ProfileLevels({ ...slice, dsos });
}

/** The levels of tables whose rows are functions, and of those whose rows are files. */
export type TableLevels = { readonly byFunction: FrameLevel; readonly byFile: FrameLevel };

/**
 * The tables of `rows`, samples of one event, with the squares that their intervals need. `keys`: also
 * a row per combination of these.
 */
export function tablesOfSlice(
  levels: ProfileLevels,
  { byFunction, byFile }: TableLevels,
  asked: {
    readonly weights: Weights;
    readonly rows: Int32Array;
    readonly keys: readonly GroupKey[] | null;
  },
): SliceTables {
  const { weights, rows, keys } = asked;
  const profile = levels.at(byFunction);
  const files = levels.at(byFile);
  const report = computeFlatReport(profile, weights, rows);
  const threadTables = reportThreads({ profile, weights, rows, estimator: null });
  const { strings, threads, samples, funcs } = profile;
  const squares = weights.values.map((weight) => weight * weight);
  const whole = {
    weight: report.weight,
    samples: report.samples,
    squares: rows.reduce((sum, row) => sum + squares[row], 0),
  };
  const funcOf = innermostFuncs(profile);
  const fileOf = innermostFuncs(files);
  const dsoName = (dso: number): string => nameOfDso(profile, dso);
  const dsoOfFunc = (func: number): number => (func === NONE ? NONE : files.funcs.dso[func]);
  const squaresBy = (keyOfSample: IntColumn, keyCount: number): Float64Array =>
    sumByKey(rows, { ...weights, values: squares }, keyOfSample, keyCount).weight;
  const byFunc = squaresBy(funcOf, funcs.length);
  const { byDso: byDsoRows } = files === profile ? report : computeFlatReport(files, weights, rows);
  const levelOfKeys = keys?.includes('dso') ? byFile : levelOfTable(keys ?? [], byFunction);
  // Key 0 is no DSO.
  const byDso = squaresBy(
    fileOf.map((func) => dsoOfFunc(func) + 1),
    files.dsos.length + 1,
  );
  const namesakes = namesakesOfThreads(threads);
  const byThread = squaresBy(
    mapInts(samples.thread, (thread) => namesakes[thread]),
    threads.length,
  );
  const byComm = squaresBy(samples.comm, strings.length);
  const table = (sums: SumRow[]): TableSums => ({ ...whole, rows: sums });
  return {
    sym: table(
      report.bySymbol.map((row) => ({
        ...sumRow(namesOfFunction(profile, row.func), row, byFunc[row.func]),
        shown: fileAndName(profile, row.func),
      })),
    ),
    dso: table(byDsoRows.map((row) => sumRow([dsoName(row.dso)], row, byDso[row.dso + 1]))),
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
    ...(keys !== null && {
      grouped: table(groupedRows(levels.at(levelOfKeys), weights, rows, keys, squares)),
    }),
  };
}

/** DSO and name of a function, as the table `sym` has them; what stands for a kind of code lies in no DSO. */
export function namesOfFunction(profile: Profile, func: number): readonly [string, string] {
  const { strings, funcs } = profile;
  const name = strings[funcs.name[func]];
  const dso = funcs.dso[func];
  return [isKindOfCode(name, dso) ? '' : nameOfDso(profile, dso), name];
}

function nameOfDso({ dsos }: Profile, dso: number): string {
  return dso === NONE ? '[unknown]' : dsos[dso].name;
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
