import { UsageError } from '../../base/errors.ts';
import { formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { duration } from '../../options/kinds.ts';
import {
  type Change,
  changeOf,
  leastSeen,
  runsThatDecide,
  spreadOfRuns,
} from '../../profile/analysis/change.ts';
import type { DiffMeasure } from '../../profile/analysis/diff-measure.ts';
import { fittingNames, noFunctionNamed } from '../../profile/analysis/select/find-functions.ts';
import type { Comparison } from '../../questions/compare.ts';
import { summarizeTurns, type TurnLengths } from '../../questions/turns.ts';
import type { ComparedFile } from '../../read/outputs/compare-recordings.ts';

/** `share(parse) grows by 10%`, `p99(turn) grows by 10ms`, `weight(*) grows` by whatever can be told: what makes `perf-ts diff --fail-if` fail. */
export type FailCondition = {
  readonly text: string;
  /** A function, or null for everything, `weight(*)`; or a length of the turns of event loops. */
  readonly of:
    | { readonly kind: 'function'; readonly measure: DiffMeasure; readonly func: string | null }
    | { readonly kind: 'turns'; readonly length: keyof TurnLengths };
  readonly direction: 'grows' | 'shrinks';
  /** Part of the value before, 0.1 for 10 %, or nanoseconds. */
  readonly by: { readonly share: number } | { readonly ns: number };
};

/**
 * The verdict of recordings on a condition: it is met, it is not, or they can't tell, since the
 * bound lies within the interval. Only the first fails.
 */
export type ConditionVerdict = 'met' | 'not met' | 'not distinguishable';

export type JudgedCondition = {
  readonly condition: string;
  /** Null: turns of event loops, which are of no event. */
  readonly event: string | null;
  /** The function that matched; null: everything. */
  readonly name: string | null;
  readonly verdict: ConditionVerdict;
  /** Before and after, and the interval of the change, in the unit of the measure; of turns, nanoseconds. */
  readonly there: number;
  readonly here: number;
  readonly interval: Change['interval'];
  /** The least change that these recordings would have shown to meet it, four times in five; null where they can't tell. */
  readonly least: number | null;
  /**
   * Recordings a side with which a change of this size would be met or not, four times in five; null: more than 100, or the
   * verdict is clear.
   */
  readonly runs: number | null;
};

const MEASURES: Readonly<Record<string, DiffMeasure>> = {
  share: 'share',
  weight: 'absolute',
  rate: 'second',
};
const LENGTHS: Readonly<Record<string, keyof TurnLengths>> = {
  p50: 'p50Ns',
  p90: 'p90Ns',
  p99: 'p99Ns',
  max: 'longestNs',
};
const CONDITION =
  /^\s*(\w+)\s*\(\s*(.+?)\s*\)\s+(grows|shrinks)(?:\s+by\s+([\d.]+\s*(?:%|m?s)))?\s*$/;

export function parseCondition(text: string): FailCondition {
  const [, measure = '', func = '', direction, amount = '0%'] = CONDITION.exec(text) ?? [];
  const of = subjectOf(measure, func);
  const by = amountOf(amount);
  const isUnderstood = of !== null && by !== null && (of.kind === 'turns' || 'share' in by);
  if (!isUnderstood || (direction !== 'grows' && direction !== 'shrinks')) {
    throw new UsageError(`--fail-if '${text}': not understood`, [
      "--fail-if 'share(FUNC) grows by 10%'; share, weight or rate; weight(*) is everything; grows or shrinks; without by: at all",
      "--fail-if 'p99(turn) grows by 10ms'; p50, p90, p99 or max of the turns of event loops; by 10ms or 10%",
    ]);
  }
  if (of.kind === 'function' && of.func === null && of.measure === 'share') {
    throw new UsageError(`--fail-if '${text}': the share of everything is always 100%`, [
      "--fail-if 'weight(*) grows by 10%'",
    ]);
  }
  return { text: text.trim(), of, direction, by };
}

function subjectOf(measure: string, func: string): FailCondition['of'] | null {
  if (Object.hasOwn(MEASURES, measure)) {
    return { kind: 'function', measure: MEASURES[measure], func: func === '*' ? null : func };
  }
  const isOfTurns = Object.hasOwn(LENGTHS, measure) && func === 'turn';
  return isOfTurns ? { kind: 'turns', length: LENGTHS[measure] } : null;
}

function amountOf(amount: string): FailCondition['by'] | null {
  const [, percent] = /^(\d+(?:\.\d+)?)\s*%$/.exec(amount) ?? [];
  if (percent !== undefined) return { share: Number(percent) / 100 };
  const ms = duration('ms').read(amount.replace(/\s+/, ''));
  return ms === undefined ? null : { ns: ms * 1e6 };
}

/** Runs of one program differ, and how far, one recording a side can't tell. */
export function checkRuns(here: readonly string[], there: readonly string[]): void {
  if (here.length >= 2 && there.length >= 2) return;
  throw new UsageError(
    "--fail-if needs two recordings a side at least: one can't tell how far runs differ",
    ['perf-ts diff --old A1 A2 A3 --new B1 B2 B3 --fail-if …'],
  );
}

/** The recordings of a condition: what came out of comparing one event, and the files, for turns. */
export type JudgedRecordings = {
  readonly diff: Comparison;
  readonly here: readonly ComparedFile[];
  readonly there: readonly ComparedFile[];
};

/**
 * Judges a condition on one event, for each function of that name, or on the turns of all event loops. Throws
 * `UsageError` where there is none: a gate that watches nothing would pass for ever.
 */
export function judgeCondition(
  condition: FailCondition,
  { diff, here, there }: JudgedRecordings,
): JudgedCondition[] {
  const { of, text } = condition;
  const runs = { here: here.length, there: there.length };
  if (of.kind === 'turns') {
    const ofSide = (side: readonly ComparedFile[]) =>
      side.map((file) => ({ value: turnsOf(file, text)[of.length], interval: null }));
    return [judged(condition, runs, null, null, changeOf(ofSide(here), ofSide(there)))];
  }
  const { measure, func } = of;
  if (func === null) {
    const change = measure === 'share' ? null : diff.total[measure];
    return [judged(condition, runs, diff.event, null, change)];
  }
  const { functions } = diff;
  const rows = fittingNames(func, functions);
  if (rows.length === 0) {
    const { hints } = noFunctionNamed(func, functions);
    throw new UsageError(`--fail-if '${text}': no recording has a function ${func}`, hints);
  }
  return rows.map((row) => judged(condition, runs, diff.event, row.name, row[measure]));
}

function turnsOf({ path, opened, select }: ComparedFile, text: string): TurnLengths {
  const { turns } = opened.profile;
  const lengths = turns === undefined ? null : summarizeTurns(turns, select?.times);
  if (lengths !== null) return lengths;
  throw new UsageError(`--fail-if '${text}': ${printable(path)} has no turns of an event loop`, [
    'record a program of Node: perf-ts record -- node app.js',
  ]);
}

function judged(
  condition: FailCondition,
  recordings: Runs,
  event: string | null,
  name: string | null,
  change: Change | null,
): JudgedCondition {
  if (change === null) {
    throw new UsageError(
      `--fail-if '${condition.text}': the recordings have no such measure of ${event}`,
      ['share(…) compares parts of everything'],
    );
  }
  const { here, there, interval } = change;
  const verdict = verdictOf(condition, change);
  const bound = boundOf(condition, change);
  const found = spreadOfRuns(change, recordings);
  const spread = found && { ...found, deviation: found.deviation * widerBy(condition) };
  const isOpen = verdict === 'not distinguishable' && spread !== null;
  return {
    ...{ condition: condition.text, event, name, verdict, there, here, interval },
    least: spread && bound + leastSeen(spread, recordings),
    runs: isOpen ? runsThatDecide(spread, signOf(condition) * change.delta - bound) : null,
  };
}

/** Numbers of recordings. */
type Runs = { readonly here: number; readonly there: number };

/** `a change by 31% could be seen; about 9 recordings a side would decide`; '' where the verdict is clear. */
export function decidingText({ verdict, there, least, runs }: JudgedCondition): string {
  if (verdict !== 'not distinguishable') return '';
  const deciding = `${runs === null ? 'more than 100' : `about ${runs}`} recordings a side would decide`;
  if (least === null || !(there > 0)) return deciding;
  return `a change by ${formatShare(least / there)} could be seen; ${deciding}`;
}

function signOf({ direction }: FailCondition): 1 | -1 {
  return direction === 'grows' ? 1 : -1;
}

/** The size of the change that is asked about. */
function boundOf({ by }: FailCondition, { there }: Change): number {
  return 'share' in by ? by.share * there : by.ns;
}

/**
 * A bound that is a part of `there` is uncertain itself: what is in question is `here − (1 + by) · there`, whose interval is
 * wider by at most so much.
 */
function widerBy({ direction, by }: FailCondition): number {
  return direction === 'grows' && 'share' in by ? 1 + by.share : 1;
}

function verdictOf(condition: FailCondition, change: Change): ConditionVerdict {
  const { interval } = change;
  if (interval === null) return 'not distinguishable';
  const sign = signOf(condition);
  const delta = sign * change.delta;
  const [low, high] = sign > 0 ? [interval.low, interval.high] : [-interval.high, -interval.low];
  const wider = widerBy(condition);
  const bound = boundOf(condition, change);
  if (delta - (delta - low) * wider > bound) return 'met';
  return delta + (high - delta) * wider < bound ? 'not met' : 'not distinguishable';
}
