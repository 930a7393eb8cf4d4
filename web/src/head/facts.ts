import { isCpuTime } from '../../../src/profile/cpu-time.ts';
import { isWaitEvent } from '../../../src/profile/wait-event.ts';
import { formatCount, formatNanos, formatWeight } from '../ask/format.ts';
import type { ViewState } from '../state/state.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import type { SummaryResult } from '../worker/messages/panel-messages.ts';

/** The name of what folded stacks are said to count. */
const UNNAMED_EVENT = 'event';

/** Weight and samples, said once where they are the same. */
export function factsOf(
  { weight, samples, unit }: SummaryResult,
  { events, endNs, areLossesKnown }: OpenResult,
  { event: index, weight: kind }: ViewState,
): string[] {
  const event = events[index];
  // A text without times has each stack once, with what all samples of it weigh.
  const areSums = endNs === 0 && !areLossesKnown && weight !== samples;
  const count = areSums ? `${formatCount(samples)} stacks` : formatWeight(samples, 'samples');
  if (event === undefined || unit === 'samples') return [count];
  // A text that names no event counts samples.
  if (event.name === UNNAMED_EVENT) {
    return weight === samples ? [count] : [formatWeight(weight, unit), count];
  }
  if (unit === 'bytes') return [formatWeight(weight, unit), count];
  if (unit === 'events') return [`${formatCount(weight)} ${event.name}`, count];
  if (isWaitEvent(event)) return [`${formatNanos(weight)} off the CPU`, count];
  const noun = isCpuTime(event) ? (kind === 'wall' ? 'wall' : 'CPU') : event.name;
  return [`${formatNanos(weight)} ${noun}`, count];
}
