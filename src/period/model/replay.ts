import type { PeriodSequence } from '../period-sequence.ts';
import { replayWithGuesses } from './replay-guesses.ts';
import type { Replay, ReplayRules } from './replay-rules.ts';
import { replayWithSwitches } from './replay-switches.ts';

/**
 * The kernel's steps once more, from what one stream's samples tell.
 *
 * Overflow i adjusts the period with two known values: the time since overflow i − 1, and the
 * period then in force, L. The ticks up to overflow i + 1 adjust it further, with what was counted
 * from tick to tick. The result is reported `lag` samples later:
 *
 *     lag 2   software events, and drivers that report the elapsed period:
 *             L is P(i+1), the result shows as P(i+2)
 *     lag 1   drivers that report the next period:
 *             L is P(i), the result shows as P(i+1)
 *
 * Every step starts from a recorded period where it shows, so the replay never follows its own
 * errors for long. What else happened on the way, the event's restarts and pauses, is known where
 * the samples read the running time of an event that the kernel counts, and guessed elsewhere.
 */
export function replay(sequence: PeriodSequence, rules: ReplayRules): Replay {
  const { offCpuNs } = sequence;
  return offCpuNs && rules.isCountedInSoftware
    ? replayWithSwitches(sequence, offCpuNs, rules)
    : replayWithGuesses({ ...sequence, offCpuNs: null }, rules);
}
