// Hot: once per sample.

import type { StreamGroups } from './streams.ts';
import type { PeriodInput, ReportedPeriod } from './types.ts';

/**
 * Counts that lag behind their samples. Intel PEBS since Linux 6.14 writes the sample first and brings
 * `event->count` up to date then, so that the count in a sample lacks the interval that it ends:
 *
 *     sample      0        1        2        3
 *     interval  ──●── 10 ──●── 20 ──●── 40 ──●
 *     counted     1        11       31       71
 *     in sample   0        1        11       31       that of the sample before
 *
 * Differences of such counts follow the period of the sample before, as if the rule were 'next'. What
 * gives them away is a stream's first sample: its count is 0, or what a tick has added, where it should
 * be the period that the stream began with.
 */
export function areCountsBehind(
  { samples: { count, periodEvents } }: Pick<PeriodInput, 'samples'>,
  groups: StreamGroups,
  /** Rows of `groups`: those of one event. */
  groupsOfEvent: Int32Array,
): boolean {
  if (count === null) return false;
  let behind = 0;
  let known = 0;
  for (let j = 0; j < groupsOfEvent.length; j++) {
    const first = groups.rows[groups.offsets[groupsOfEvent[j]]];
    const counted = count[first];
    if (Number.isNaN(counted)) continue;
    known++;
    if (counted < periodEvents[first] / 2) behind++;
  }
  return 2 * behind > known;
}

/**
 * The input with counts that include each sample's own interval, where they lag: the count of the sample
 * after it, and of a stream's last sample its own with its period added. The same input where none lags.
 */
export function withoutCountLag(
  input: PeriodInput,
  groups: StreamGroups,
  rules: readonly ReportedPeriod[],
): PeriodInput {
  const { count, periodEvents } = input.samples;
  if (count === null || !rules.some(({ countsLag }) => countsLag === true)) return input;
  const shifted = count.slice();
  for (let g = 0; g < groups.length; g++) {
    if (rules[groups.event[g]].countsLag !== true) continue;
    const end = groups.offsets[g + 1];
    for (let k = groups.offsets[g]; k < end; k++) {
      const row = groups.rows[k];
      shifted[row] = k + 1 < end ? count[groups.rows[k + 1]] : count[row] + periodEvents[row];
    }
  }
  return { ...input, samples: { ...input.samples, count: shifted } };
}
