import { UsageError } from '../../base/errors.ts';
import type { Change } from '../../profile/analysis/change.ts';
import type { DiffMeasure } from '../../profile/analysis/diff-measure.ts';
import { fittingNames, noFunctionNamed } from '../../profile/analysis/select/find-functions.ts';
import type { Comparison } from '../../questions/compare.ts';

/** `share(parse) grows by 10%`: what makes `perf-ts diff --fail-if` fail. */
export type FailCondition = {
  readonly text: string;
  readonly measure: DiffMeasure;
  /** Null: everything, `weight(*)`. */
  readonly func: string | null;
  readonly direction: 'grows' | 'shrinks';
  /** Part of the value before, 0.1 for 10 %. */
  readonly by: number;
};

/**
 * The verdict of recordings on a condition: it is met, it is not, or they can't tell, since the
 * bound lies within the interval. Only the first fails.
 */
export type ConditionVerdict = 'met' | 'not met' | 'not distinguishable';

export type JudgedCondition = {
  readonly condition: string;
  readonly event: string;
  /** The function that matched; null: everything. */
  readonly name: string | null;
  readonly verdict: ConditionVerdict;
  /** Before and after, and the interval of the change, in the unit of the measure. */
  readonly there: number;
  readonly here: number;
  readonly interval: Change['interval'];
};

const MEASURES: Readonly<Record<string, DiffMeasure>> = {
  share: 'share',
  weight: 'absolute',
  rate: 'second',
};
const CONDITION =
  /^\s*(share|weight|rate)\s*\(\s*(.+?)\s*\)\s+(grows|shrinks)\s+by\s+(\d+(?:\.\d+)?)\s*%\s*$/;

export function parseCondition(text: string): FailCondition {
  const [, measure = '', func = '', direction, percent] = CONDITION.exec(text) ?? [];
  if (direction !== 'grows' && direction !== 'shrinks') {
    throw new UsageError(`--fail-if '${text}': not understood`, [
      "--fail-if 'share(FUNC) grows by 10%'; share, weight or rate; weight(*) is everything; grows or shrinks",
    ]);
  }
  if (func === '*' && measure === 'share') {
    throw new UsageError(`--fail-if '${text}': the share of everything is always 100%`, [
      "--fail-if 'weight(*) grows by 10%'",
    ]);
  }
  return {
    text: text.trim(),
    measure: MEASURES[measure],
    func: func === '*' ? null : func,
    direction,
    by: Number(percent) / 100,
  };
}

/** Runs of one program differ, and how far, one recording a side can't tell. */
export function checkRuns(here: readonly string[], there: readonly string[]): void {
  if (here.length >= 2 && there.length >= 2) return;
  throw new UsageError(
    "--fail-if needs two recordings a side at least: one can't tell how far runs differ",
    ['perf-ts diff --old A1 A2 A3 --new B1 B2 B3 --fail-if …'],
  );
}

/**
 * Judges a condition on one event, for each function of that name. Throws `UsageError` where there is
 * none: a gate that watches nothing would pass for ever.
 */
export function judgeCondition(condition: FailCondition, diff: Comparison): JudgedCondition[] {
  const { measure, func, text } = condition;
  if (func === null) {
    const change = measure === 'share' ? null : diff.total[measure];
    return [judged(condition, diff.event, null, change)];
  }
  const { functions } = diff;
  const rows = fittingNames(func, functions);
  if (rows.length === 0) {
    const { hints } = noFunctionNamed(func, functions);
    throw new UsageError(`--fail-if '${text}': no recording has a function ${func}`, hints);
  }
  return rows.map((row) => judged(condition, diff.event, row.name, row[measure]));
}

function judged(
  condition: FailCondition,
  event: string,
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
  return { condition: condition.text, event, name, verdict, there, here, interval };
}

/**
 * The interval is of `here − there`. The bound is a part of `there`, which is uncertain itself: what is in
 * question is `here − (1 + by) · there`, whose interval is wider by at most 1 + by.
 */
function verdictOf({ direction, by }: FailCondition, change: Change): ConditionVerdict {
  const { there, interval } = change;
  if (interval === null) return 'not distinguishable';
  const sign = direction === 'grows' ? 1 : -1;
  const delta = sign * change.delta;
  const [low, high] = sign > 0 ? [interval.low, interval.high] : [-interval.high, -interval.low];
  const wider = direction === 'grows' ? 1 + by : 1;
  const bound = by * there;
  if (delta - (delta - low) * wider > bound) return 'met';
  return delta + (high - delta) * wider < bound ? 'not met' : 'not distinguishable';
}
