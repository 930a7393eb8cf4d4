import { finish } from '../../base/slices.ts';
import { groupByStream } from '../../period/streams.ts';
import type { PeriodInput, StreamFinal } from '../../period/types.ts';
import type { CountStart } from '../facts/provenance.ts';

/**
 * A counter that has run for this much longer than the file before its first sample was started
 * before the file. Another recorder's files have no other mark.
 */
const SLACK_NS = 100_000_000;
/** The share by which two clocks may differ. */
const CLOCK_DRIFT = 1e-4;

/**
 * Moves the counts and running times in `input` (in place) where the counters began before the
 * file, and returns the finals that still hold. `forkNs` gives the times of the forks in the file by
 * tid.
 *
 * A counter starts at 0 when its event is opened. A file that begins later holds its later values
 * only: a file after a `--switch-output`, what `--overwrite` keeps, a part cut out by `inject`. The
 * first sample of each stream then carries everything that was counted before the file began, and
 * none of that belongs to the sample:
 *
 *     file            1st ────────────┤├─ 2nd ─────────────
 *     samples         ●   ●    ●    ●     ●    ●    ●
 *     count           1   9   30   60    95  120  150
 *     elapsed             8   21   30     ?   25   30       ?: at most the period of that sample
 *
 * So the values of such a stream are moved: they begin at the first sample's own period below its
 * value. A stream that began in the file, with the fork of its task, begins at 0 as it is.
 *
 * The file of perf-ts reports where its counters begin; another recorder's does not.
 */
export function moveCountStarts(
  input: PeriodInput,
  start: CountStart | null,
  forkNs: ReadonlyMap<number, number>,
): readonly StreamFinal[] {
  const finals = input.finals ?? [];
  const { samples, events, threads } = input;
  const { count, runningNs, timeNs, periodEvents, thread } = samples;
  if (start === 'here') return finals;
  if (count === null || count.every(Number.isNaN)) return start === null ? finals : [];
  const changedPeriods: { [row: number]: number } = periodEvents;
  const groups = finish(groupByStream(input));
  const isLate = new Uint8Array(groups.length);
  let mostBefore = 0;
  for (let g = 0; g < groups.length; g++) {
    const row = groups.rows[groups.offsets[g]];
    const ran = runningNs === undefined ? Number.NaN : runningNs[row];
    const tid = threads[thread[row]]?.tid ?? -1;
    const forked = start === 'dropped' ? undefined : forkNs.get(tid);
    const sinceFork = timeNs[row] - (forked ?? Number.NaN);
    const beganHere = forked !== undefined && !(ran > sinceFork * (1 + CLOCK_DRIFT) + SLACK_NS);
    if (beganHere) continue;
    isLate[g] = 1;
    const before = ran - timeNs[row] * (1 + CLOCK_DRIFT);
    if (before > mostBefore) mostBefore = before;
  }
  if (start === null && mostBefore <= SLACK_NS) return finals;
  /** Values by stream: what it had counted, and how long it had run, before the file. */
  const starts = new Map<number, { count: number; runningNs: number }>();
  for (let g = 0; g < groups.length; g++) {
    if (isLate[g] === 0) {
      if (groups.stream[g] >= 0) starts.set(groups.stream[g], { count: 0, runningNs: 0 });
      continue;
    }
    const from = groups.offsets[g];
    const end = groups.offsets[g + 1];
    const first = groups.rows[from];
    // The member of a group has no period: what it counted before this sample is not known.
    const isMember = events[groups.event[g]].fixedPeriod === 0;
    if (isMember) changedPeriods[first] = 0;
    const own = Math.min(count[first], periodEvents[first]);
    const countBefore = count[first] - own;
    const ranBefore =
      runningNs === undefined
        ? 0
        : runningNs[first] - Math.min(runningNs[first], Math.max(0, timeNs[first]));
    for (let k = from; k < end; k++) {
      const row = groups.rows[k];
      count[row] = count[row] - countBefore;
      if (runningNs !== undefined) runningNs[row] = runningNs[row] - ranBefore;
    }
    if (groups.stream[g] >= 0) {
      starts.set(groups.stream[g], { count: countBefore, runningNs: ranBefore });
    }
  }
  // Of an instance without a sample, or without a number, nobody knows what it had counted before.
  return finals.flatMap((final): StreamFinal[] => {
    const before = starts.get(final.stream);
    if (before === undefined) return [];
    return [
      {
        ...final,
        count: final.count - before.count,
        runningNs: final.runningNs - before.runningNs,
      },
    ];
  });
}
