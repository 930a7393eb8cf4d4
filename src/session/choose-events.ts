import type { EventSpec } from '../events/event-spec.ts';
import { parseEvents } from '../events/parse-events.ts';
import { readEventSources } from './event-sources.ts';
import type { RecordOptions } from './record-options.ts';

export type EventChoice = { readonly specs: readonly EventSpec[] };

/**
 * perf's default: cycles with the least skid that opens. Where there is no PMU the plan substitutes
 * cpu-clock and says so.
 */
const DEFAULT_EVENTS = ['cycles:P'];

/** The events asked for, or the default. Throws UsageError for a name that nobody knows. */
export function chooseEvents(options: RecordOptions): EventChoice {
  const texts = options.events?.length ? options.events : DEFAULT_EVENTS;
  return { specs: parseEvents(texts, readEventSources()) };
}
