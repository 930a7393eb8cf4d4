import type { Profile } from '../profile/types.ts';
import { isWaitEvent } from '../profile/wait-event.ts';
import type { Asked } from './shares-by-key.ts';
import { reportFunctions, type TopFunction, topFunctions } from './top.ts';

const NS_PER_SECOND = 1e9;

/** A function's part of one second, from the recording's start. */
export type TimelineRow = TopFunction & { readonly second: number };

/**
 * Functions by what they did themselves, second by second, heaviest first: what a report of each second has. `within`
 * asks about a part of the time. Each second costs a look at all samples, so it is computed when it is asked for.
 */
export function* findTimeline(
  { profile, rows }: Pick<Asked, 'profile' | 'rows'>,
  within: (times: { readonly fromNs: number; readonly toNs: number }) => Asked,
): Generator<TimelineRow> {
  for (const second of secondsWithSamples(profile, rows)) {
    const fromNs = second * NS_PER_SECOND;
    const asked = within({ fromNs, toNs: fromNs + NS_PER_SECOND });
    for (const row of topFunctions(reportFunctions(asked, false), 'self')) yield { second, ...row };
  }
}

/** The seconds that samples were taken in, ascending; a wait is in all that it lasted through. */
function secondsWithSamples({ events, samples }: Profile, rows: Int32Array): number[] {
  const isWait = events.map(isWaitEvent);
  const seconds = new Set<number>();
  for (const row of rows) {
    // Texts without times have one second.
    const timeNs = Number.isNaN(samples.timeNs[row]) ? 0 : samples.timeNs[row];
    const lastedNs = isWait[samples.event[row]] ? samples.periodEvents[row] : 0;
    const first = Math.floor(timeNs / NS_PER_SECOND);
    // A wait that ends with a second is no part of the next one.
    const end = Math.max(first + 1, Math.ceil((timeNs + lastedNs) / NS_PER_SECOND));
    for (let second = first; second < end; second++) seconds.add(second);
  }
  return [...seconds].sort((a, b) => a - b);
}
