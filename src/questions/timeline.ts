import { finish } from '../base/slices.ts';
import { boundsOfLost, weightWithLost } from '../profile/analysis/shares/share-bounds.ts';
import { innermostFuncs } from '../profile/analysis/trees/call-nodes.ts';
import { lostFunc } from '../profile/losses.ts';
import type { FuncIndex, Profile } from '../profile/types.ts';
import { isWaitEvent } from '../profile/wait-event.ts';
import { type Asked, sharesByKey } from './shares-by-key.ts';
import type { TopFunction } from './top.ts';

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
  const funcOf = innermostFuncs(profile);
  for (const second of secondsWithSamples(profile, rows)) {
    const fromNs = second * NS_PER_SECOND;
    const asked = within({ fromNs, toNs: fromNs + NS_PER_SECOND });
    const shares = finish(sharesByKey(asked, funcOf, profile.funcs.length));
    const found = shares.map(({ key, ...share }) => ({ func: key as FuncIndex, ...share }));
    for (const row of [...found, ...lostRow(asked)].sort((a, b) => b.weight - a.weight)) {
      if (row.weight > 0) yield { second, ...row };
    }
  }
}

/** The row of what was lost, if anything was. */
function lostRow(asked: Asked): TopFunction[] {
  const { profile, estimator } = asked;
  const whole = weightWithLost(asked);
  const { lost: weight } = whole;
  if (weight === 0) return [];
  const interval = estimator && boundsOfLost(estimator, whole);
  const func = lostFunc(profile) as FuncIndex;
  return [{ func, weight, samples: 0, share: weight / whole.weight, interval }];
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
