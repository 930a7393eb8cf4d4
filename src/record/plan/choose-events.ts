import type { EventSources } from '../../kernel/events/event-sources.ts';
import { type EventSpec, narrowTo } from '../../kernel/events/event-spec.ts';
import { parseEvents } from '../../kernel/events/parse-events.ts';
import type { RecordSettings } from '../../options/record.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';

/**
 * perf's default: cycles with the least skid that opens. Where there is no PMU the plan substitutes
 * cpu-clock and says so.
 */
const DEFAULT_EVENT = 'cycles:P';

/**
 * The events asked for, or the default; on a machine with several kinds of cores one for each. Throws
 * UsageError for a name that nobody knows.
 */
export function chooseEvents(
  options: RecordSettings,
  sources: EventSources = readEventSources(),
): readonly EventSpec[] {
  const events = options.events?.length ? options.events : DEFAULT_EVENT;
  return narrowTo(parseEvents(events, sources), options.only);
}
