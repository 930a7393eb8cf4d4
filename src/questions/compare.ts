import { NONE } from '../base/brand.ts';
import type { Slices } from '../base/slices.ts';
import { leastSeen, runsThatDecide, spreadOfRuns } from '../profile/analysis/change.ts';
import {
  type ComparedFunctions,
  type ComparedRun,
  compareFunctions,
  measuresOf,
  type SharedRow,
} from '../profile/analysis/compare-functions.ts';
import { areAllSampledAlike, type DiffMeasure } from '../profile/analysis/diff-measure.ts';
import type { DsoMatch } from '../profile/analysis/match-dsos.ts';
import { type MatchedRuns, nameCompared } from '../profile/analysis/match-functions.ts';
import {
  boundsOfLost,
  boundsOfNothing,
  weightWithLost,
} from '../profile/analysis/shares/share-bounds.ts';
import type { StepColumns } from '../profile/analysis/shares/share-steps.ts';
import { innermostFuncOfStacks, keysOfStacks } from '../profile/analysis/trees/call-nodes.ts';
import { quantityName } from '../profile/cpu-time.ts';
import { lostFunc } from '../profile/losses.ts';
import type { EventIndex, LostBounds, Profile, WeightKind, Weights } from '../profile/types.ts';
import { type Asked, type Share, sharesByKey } from './shares-by-key.ts';

/** One recording of a comparison: what is asked about it, and what is known of it besides. */
export type ComparedRecording = Asked & {
  readonly event: EventIndex;
  /** The final value of the event's counter; null where it is unknown, or only a part is selected. */
  readonly counted: number | null;
  /** Seconds that were recorded; null where samples have no times. */
  readonly seconds: number | null;
  /** Why its weights may be those of neighbouring samples; null where there is no such doubt. */
  readonly doubt: string | null;
};

/**
 * The change of what functions did themselves, from the recordings `there`, the older ones, to those `here`: of one
 * event, in each measure, with 95 % intervals.
 */
export type Comparison = {
  readonly event: string;
  /** `CPU time`, `wall time`, or the event's name. */
  readonly title: string;
  readonly unit: Weights['unit'];
  /** Number of samples in all recordings of this side. */
  readonly samples: number;
  readonly otherSamples: number;
  /** Sampled at the same rate; null where the rate of a recording is not known. */
  readonly areSampledAlike: boolean | null;
  /** Sides of which it is unknown which interval a period measures, and why. */
  readonly ruleDoubts: readonly { readonly side: 'before' | 'after'; readonly text: string }[];
  readonly runs: number;
  readonly otherRuns: number;
  /** Seconds recorded: of several, the mean; null where a recording has no times. */
  readonly seconds: number | null;
  readonly otherSeconds: number | null;
  /** Measures in which these recordings can be compared. */
  readonly measures: readonly DiffMeasure[];
  readonly total: ComparedFunctions['total'];
  /** Rows in no order: `sortChanges` puts them into one. */
  readonly functions: ComparedFunctions['rows'];
  /** Files of different names that were compared with each other. */
  readonly renamed: readonly DsoMatch[];
};

/** A comparison as it is shown: `functions` by the size of their change in one of its measures. */
export type ComparisonBy = Comparison & { readonly by: DiffMeasure };

/** Compares recordings, one or several a side. `matched` says which functions are the same: `here` first, then `there`. */
export function* compare(
  here: readonly ComparedRecording[],
  there: readonly ComparedRecording[],
  matched: MatchedRuns,
): Slices<Comparison> {
  const all = [...here, ...there];
  const runs: ComparedRun[] = [];
  for (const [run, recording] of all.entries()) {
    runs.push(yield* runOf(recording, matched.ids[run], matched.count));
  }
  const mine = runs.slice(0, here.length);
  const { rows, total } = yield* compareFunctions(mine, runs.slice(here.length));
  const events = all.map(({ profile, event }) => profile.events[event]);
  const [first] = events;
  const { unit } = here[0].weights;
  return {
    event: first?.name ?? '',
    title: first === undefined ? '' : quantityName(first, here[0].weights),
    unit,
    samples: samplesOf(here),
    otherSamples: samplesOf(there),
    areSampledAlike: areAllSampledAlike(events),
    ruleDoubts: [...doubtsOf('before', there), ...doubtsOf('after', here)],
    runs: here.length,
    otherRuns: there.length,
    seconds: meanSeconds(here),
    otherSeconds: meanSeconds(there),
    measures: measuresOf(runs),
    total,
    functions: rows,
    renamed: matched.renamed,
  };
}

/** The functions of one recording by the numbers that they have in all, and what their shares are of. */
function* runOf(
  recording: ComparedRecording,
  idOfFunc: Int32Array,
  count: number,
): Slices<ComparedRun> {
  const { profile, event, rows, weights, estimator, counted, seconds } = recording;
  const whole = weightWithLost(recording);
  const idOfStack = innermostFuncOfStacks(profile).map((func) => idOfFunc[func]);
  const keys = keysOfStacks(profile, rows, idOfStack);
  yield;
  const shares = new Map<number, Pick<Share, 'share' | 'interval'>>();
  for (const { key, ...share } of yield* sharesByKey(recording, keys, count))
    shares.set(key, share);
  const lost = lostFunc(profile);
  if (whole.lost > 0 && lost !== NONE) {
    const interval = estimator && boundsOfLost(estimator, whole);
    shares.set(idOfFunc[lost], { share: whole.lost / whole.weight, interval });
  }
  const isOnStack = functionsOnStacks(profile, rows);
  yield;
  const found = new Map<number, SharedRow>();
  const nothing = estimator && boundsOfNothing(estimator, whole);
  for (let func = 0; func < idOfFunc.length; func++) {
    const id = idOfFunc[func];
    if ((isOnStack[func] === 0 && func !== lost) || found.has(id)) continue;
    const { share, interval } = shares.get(id) ?? { share: 0, interval: nothing };
    found.set(id, { id, ...nameCompared(profile, func), share, interval });
  }
  // A clock of a CPU counts on where nothing runs, and is not sampled there.
  const final = profile.events[event]?.mode === 'clock' ? null : counted;
  const { kind, unit } = weights;
  const interval = estimator && boundsOfTotal({ ...whole, kind, estimator, counted: final });
  const total = { value: whole.weight, interval };
  return { rows: [...found.values()], nothing, total, unit, seconds };
}

/** Flags the functions that are anywhere on the stacks of samples: also those that did nothing themselves. */
// Hot: once per sample, then once per stack row; parents come before children.
function functionsOnStacks({ samples, stacks, frames, funcs }: Profile, rows: Int32Array) {
  const isOn = new Uint8Array(stacks.length);
  const isFound = new Uint8Array(funcs.length);
  for (let i = 0; i < rows.length; i++) {
    const stack = samples.stack[rows[i]];
    if (stack !== NONE) isOn[stack] = 1;
  }
  for (let stack = stacks.length - 1; stack >= 0; stack--) {
    if (isOn[stack] === 0) continue;
    isFound[frames.func[stacks.frame[stack]]] = 1;
    const caller = stacks.prefix[stack];
    if (caller !== NONE) isOn[caller] = 1;
  }
  return isFound;
}

function samplesOf(side: readonly Asked[]): number {
  return side.reduce((sum, { rows }) => sum + rows.length, 0);
}

/** The first doubt of one side: its recordings are runs of one program, as a rule on one machine. */
function doubtsOf(side: 'before' | 'after', recordings: readonly ComparedRecording[]) {
  return recordings
    .flatMap(({ doubt }) => doubt ?? [])
    .slice(0, 1)
    .map((text) => ({ side, text }));
}

/** The mean of what was recorded; null where a recording has no times. */
export function meanSeconds(runs: readonly { readonly seconds: number | null }[]): number | null {
  const sum = runs.reduce((all, { seconds }) => all + (seconds ?? Number.NaN), 0);
  return Number.isNaN(sum) ? null : sum / runs.length;
}

/** The least change that the recordings of a comparison could have shown, of the function that has most. */
export type Sensitivity = {
  readonly name: string;
  /** The least change of it that would be marked four times in five, in the measure, and as a part of what it had before. */
  readonly least: number;
  readonly part: number;
  /** Recordings a side that would show a change by a tenth so; null where more than 100 would be needed. */
  readonly runsForTenth: number | null;
};

/** Null where one recording a side can't tell how far runs differ, or nothing has a weight. */
export function sensitivityOf({
  functions,
  runs,
  otherRuns,
  by,
}: ComparisonBy): Sensitivity | null {
  const before = (row: (typeof functions)[number]): number => row[by]?.there ?? 0;
  const sides = { here: runs, there: otherRuns };
  let [largest] = functions;
  for (const row of functions) if (before(row) > before(largest)) largest = row;
  const change = largest?.[by] ?? null;
  const spread = change && spreadOfRuns(change, sides);
  if (spread === null || before(largest) === 0) return null;
  const least = leastSeen(spread, sides, functions.length);
  return {
    ...{ name: largest.name, least, part: least / before(largest) },
    runsForTenth: runsThatDecide(spread, before(largest) / 10, functions.length),
  };
}

/** The total of an event in one selection, and what its bounds follow from. */
export type TotalInput = {
  /** Weight including `lost`, the part of it that no sample shows. */
  readonly weight: number;
  readonly lost: number;
  readonly kind: WeightKind;
  /** How far what was lost may be from its estimate, and the last sample of each stream. */
  readonly estimator: {
    readonly lostBounds: LostBounds;
    readonly steps: { readonly last: StepColumns };
  };
  /** The final value of the event's counter; null where it is not known, or the selection is a part. */
  readonly counted: number | null;
};

/**
 * The interval in which the total of this run lies. It is a sum, not a share, so samples leave open only
 * what they did not reach: the counter's final value is the other end where weights are of it. Else
 * each stream may have gone on for up to an interval after its last sample, and what was lost is
 * between its bounds.
 */
export function boundsOfTotal({ weight, lost, kind, estimator, counted }: TotalInput): {
  readonly low: number;
  readonly high: number;
} {
  if (counted !== null && kind === 'events') {
    return { low: Math.min(weight, counted), high: Math.max(weight, counted) };
  }
  const { least, most } = estimator.lostBounds;
  const { length, amount } = estimator.steps.last;
  // An end's amount is a third of its squared interval.
  let ends = 0;
  for (let i = 0; i < length; i++) ends += Math.sqrt(3 * amount[i]);
  return { low: weight - lost * (1 - least), high: weight + lost * (most - 1) + ends };
}
