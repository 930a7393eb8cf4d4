import type { PeriodSequence } from '../period-sequence.ts';
import { type Convergence, MIN_SAMPLES } from './convergence.ts';

/**
 * The verdict on a stream's period.
 *
 *  - fixed          period mode or a clock: there is nothing to converge
 *  - throttled      the kernel paused the event for 1 % of the stream's time or more
 *  - too-short      too few samples to tell
 *  - not-converged  enough samples, but the period never settled
 *  - re-ramped      it settled, and later fell and had to climb again
 *  - converged      it settled and followed the event rate from then on
 */
export type Verdict =
  | 'converged'
  | 'not-converged'
  | 're-ramped'
  | 'throttled'
  | 'fixed'
  | 'too-short';

/** A period that has not settled after this many samples is said not to converge. */
const MIN_SAMPLES_NOT_CONVERGED = 64;
const MIN_THROTTLED_SHARE = 0.01;

/** The verdict on one stream; `throttledNs` is what of its time, `spanNs`, the kernel took away. */
export function judge(
  sequence: PeriodSequence,
  convergence: Convergence,
  isFixed: boolean,
  throttledNs: number,
  spanNs: number,
): Verdict {
  const { length } = sequence;
  if (throttledNs > 0 && throttledNs >= MIN_THROTTLED_SHARE * spanNs) return 'throttled';
  if (isFixed) return 'fixed';
  if (length < MIN_SAMPLES) return 'too-short';
  if (convergence.start.end === length) {
    return length < MIN_SAMPLES_NOT_CONVERGED ? 'too-short' : 'not-converged';
  }
  return convergence.reRamps.length > 0 ? 're-ramped' : 'converged';
}
