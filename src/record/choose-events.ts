import { formatCpuList } from '../base/cpu-list.ts';
import type { EventSources } from '../kernel/events/event-sources.ts';
import type { EventSpec } from '../kernel/events/event-spec.ts';
import { parseEvents } from '../kernel/events/parse-events.ts';
import { readEventSources } from '../system/kernel/machine-events.ts';
import type { RecordOptions } from './record-options.ts';

export type EventChoice = {
  readonly specs: readonly EventSpec[];
  /** What was chosen instead of the default, and why. */
  readonly notices: readonly string[];
};

/**
 * perf's default: cycles with the least skid that opens. Where there is no PMU the plan substitutes
 * cpu-clock and says so.
 */
const DEFAULT_EVENT = 'cycles:P';

/** The events asked for, or the default. Throws UsageError for a name that nobody knows. */
export function chooseEvents(
  options: RecordOptions,
  sources: EventSources = readEventSources(),
): EventChoice {
  if (options.events?.length) {
    return { specs: narrow(parseEvents(options.events, sources), options), notices: [] };
  }
  const specs = parseEvents(DEFAULT_EVENT, sources);
  // One event for each kind of core. All events of a recording are opened on the same CPUs, so
  // these would exclude each other, and one of them alone would miss what runs on other cores.
  if (specs.length < 2) return { specs: narrow(specs, options), notices: [] };
  const kinds = specs.map(({ name, cpus }) => `${name} on CPUs ${formatCpuList(cpus ?? [])}`);
  return {
    specs: narrow(parseEvents('cpu-clock', sources), options),
    notices: [
      `cycles: this machine has several kinds of cores (${kinds.join(', ')}); recording cpu-clock ` +
        'on all of them instead, a timer; -e records one kind',
    ],
  };
}

/** `only` on top of what the events' own modifiers leave out. */
function narrow(specs: readonly EventSpec[], { only }: RecordOptions): readonly EventSpec[] {
  if (only === undefined) return specs;
  const less = only === 'user' ? { kernel: true } : { user: true };
  return specs.map((spec) => ({ ...spec, exclude: { ...spec.exclude, ...less } }));
}
