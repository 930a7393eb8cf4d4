import { t95 } from '../base/student.ts';
import {
  type ChangeSide,
  changeOfSides,
  leastSeen,
  markCertain,
  runsThatDecide,
} from '../profile/analysis/change.ts';
import {
  type ComparedFunction,
  type FunctionChange,
  sortChanges,
} from '../profile/analysis/compare-functions.ts';
import { fittingNames, noFunctionNamed } from '../profile/analysis/select/find-functions.ts';
import { ALL_JIT } from '../profile/join-same-code.ts';
import type { WeightKind } from '../profile/types.ts';
import type { AnalysedProfile } from '../read/outputs/analysed-profile.ts';
import { type ComparedFile, compareRecordings } from '../read/outputs/compare-recordings.ts';
import type { QueryAnswer } from './engine.ts';
import type { QueriedRecording } from './open-recordings.ts';
import type { VerbOptions } from './verbs.ts';

/** The change of a function's share. */
export type ShareChange = Pick<FunctionChange, keyof ComparedFunction | 'share'>;

/** The changes of shares between recordings of files, of the event asked for, else of the first. */
export async function changesOfFiles(
  recordings: readonly QueriedRecording[],
  open: (file: string) => Promise<AnalysedProfile>,
  { event, weight, sides }: VerbOptions & { readonly weight?: WeightKind },
): Promise<readonly ShareChange[]> {
  const sideOf = async (numbers: readonly number[] = []): Promise<ComparedFile[]> => {
    const files: ComparedFile[] = [];
    for (const { recording, file } of recordings) {
      if (numbers.includes(recording)) files.push({ path: file, opened: await open(file) });
    }
    return files;
  };
  const { comparisons } = compareRecordings(await sideOf(sides?.old), await sideOf(sides?.new), {
    ...(event !== undefined && { event }),
    ...(weight !== undefined && { weight }),
    by: 'share',
  });
  return comparisons[0].functions;
}

/** Named by what they are: `diff` shows shares beside weights, and `diff --by share` the same numbers. */
const COLUMNS = [
  ...['share_before', 'share_after', 'share_change', 'change_low', 'change_high'],
  ...['verdict', 'dso', 'func'],
];

/** The changes of the functions that a text means, of all without one. Throws `UsageError` where it means none of them. */
export function answerChanges(
  changes: readonly ShareChange[],
  { func, limit }: VerbOptions,
  maxRows: number,
): QueryAnswer {
  const meant = func === undefined ? changes : fittingNames(func, changes);
  // An answer without any changes has another reason: recordings that were asked for are missing.
  if (func !== undefined && meant.length === 0 && changes.length > 0) {
    throw noFunctionNamed(func, changes);
  }
  const rows = meant.map(({ share: { there, here, delta, interval, isCertain }, dso, name }) => {
    const verdict = isCertain ? (delta > 0 ? 'more' : 'less') : 'not distinguishable';
    return [there, here, delta, interval?.low ?? null, interval?.high ?? null, verdict, dso, name];
  });
  const isCut = Math.min(rows.length, limit) > maxRows;
  return { columns: COLUMNS, rows: rows.slice(0, Math.min(limit, maxRows)), isCut };
}

/** The changes that sums of shares show, judged together as `questions/compare` does, largest first. */
export function changesOfSums({ columns, rows }: QueryAnswer): ShareChange[] {
  const changes = rows.map((row, id) => {
    const value = new Map(columns.map((column, at) => [column, row[at]]));
    const number = (column: string): number => Number(value.get(column));
    const sideOf = (side: 0 | 1): ChangeSide => {
      const count = number(`n${side}`);
      const weight = number(`w${side}`);
      const mean = number(`s${side}`) / weight;
      // Values that weigh differently count as if each weighed what all do on average.
      const scale = (count / weight) ** 2;
      const squares =
        number(`q${side}`) - 2 * mean * number(`p${side}`) + mean ** 2 * number(`v${side}`);
      const end = (name: 'l' | 'h') => number(`${name}${side}`) / weight;
      return {
        count,
        mean,
        squares: Math.max(0, squares * scale),
        open: number(`o${side}`) * scale,
        interval: number('vague') === 1 ? null : { low: end('l'), high: end('h') },
      };
    };
    const dso = String(value.get('dso')).replace(/^\[JIT\].*/, ALL_JIT.name);
    const named = { id, name: String(value.get('func')), dso, path: '' };
    return { named, change: changeOfSides(sideOf(1), sideOf(0)) };
  });
  const judged = markCertain(changes.map(({ change }) => change));
  return sortChanges(
    changes.map(({ named }, row) => ({ ...named, share: judged[row] })),
    'share',
  );
}

/** Parts of the time beyond which no plan goes. */
const MOST_PARTS = 100_000;

/**
 * The rows of `share` with what they could show: the least change of the share that as much of another build would show four
 * times in five, and how many times as much of either would show one by a tenth so; null where a single part, or these, can't tell.
 */
export function withSensitivity({ columns, rows, ...answer }: QueryAnswer): QueryAnswer {
  const at = ['parts', 'share', 'low', 'high'].map((column) => columns.indexOf(column));
  return {
    ...answer,
    columns: [...columns, 'least_change', 'times_for_tenth'],
    rows: rows.map((row) => {
      const [parts, share, low, high] = at.map((column) => Number(row[column]));
      if (!(parts > 1)) return [...row, null, null];
      // An end that would lie outside of 0 … 1 is cut off.
      const half = Math.max(share - low, high - share);
      const degrees = parts - 1;
      const spread = { deviation: (half / t95(degrees)) * Math.sqrt(parts), degrees };
      const needed = share > 0 ? runsThatDecide(spread, share / 10, 1, MOST_PARTS) : null;
      const least = leastSeen(spread, { here: parts, there: parts });
      return [...row, least < 1 ? least : null, needed === null ? null : needed / parts];
    }),
  };
}
