import { UsageError } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { DEFAULT_FREQUENCY_HZ, RECORD, type RecordSettings } from '../../options/record.ts';
import type { KernelSettings } from '../../system/kernel/kernel-settings.ts';
import type { Notices } from './notices.ts';

/** How often one event is sampled: exactly one of the two modes. */
export type SamplingRate =
  /** Samples per second that the kernel aims for. */
  | { readonly kind: 'frequency'; readonly hz: number }
  /** One sample every so many events; nanoseconds for clocks. */
  | { readonly kind: 'period'; readonly events: number };

/** The rate that the options ask for; null: none. */
export type AskedRate = SamplingRate | null;

/** The kernel's own default of `perf_event_max_sample_rate`, where the file can't be read. */
const USUAL_LIMIT_HZ = 100_000;

/** `perf_swevent_start_hrtimer` never sets a clock event's timer to less. */
const SHORTEST_TIMER_NS = 10_000;
const NS_PER_SECOND = 1_000_000_000;
const FASTEST_CLOCK_HZ = NS_PER_SECOND / SHORTEST_TIMER_NS;
/** `kernel.perf_event_max_sample_rate` is an int. */
const HIGHEST_LIMIT_HZ = 2 ** 31 - 1;

/** The rate of `freq` or `count`. The frequency is not yet held against the kernel's limit. */
export function readAskedRate(options: RecordSettings, settings: KernelSettings): AskedRate {
  const { count, freq } = options;
  if (count !== undefined) return { kind: 'period', events: count };
  if (freq === undefined) return null;
  return { kind: 'frequency', hz: freq === 'max' ? limitOf(settings) : freq };
}

/**
 * The rate of one event, the first of: its own `period=` or `freq=` term, what the user asked for
 * all events, the event's default, `DEFAULT_FREQUENCY_HZ`; lowered to what the kernel takes.
 */
export function chooseRate(
  spec: EventSpec,
  asked: AskedRate,
  options: RecordSettings,
  settings: KernelSettings,
  notices: Notices,
): SamplingRate {
  if (spec.period !== null) return longEnough(spec, spec.period, notices);
  if (spec.frequency !== null) {
    return withinLimit(spec, spec.frequency, options, settings, notices);
  }
  if (asked?.kind === 'period') return longEnough(spec, asked.events, notices);
  if (asked === null && spec.defaultPeriod !== null) {
    return { kind: 'period', events: spec.defaultPeriod };
  }
  return withinLimit(spec, asked?.hz ?? DEFAULT_FREQUENCY_HZ, options, settings, notices);
}

function withinLimit(
  spec: EventSpec,
  hz: number,
  options: RecordSettings,
  settings: KernelSettings,
  notices: Notices,
): SamplingRate {
  const limit = limitOf(settings);
  const lowered = Math.min(hz, limit);
  if (hz > limit) {
    const cause = `kernel.perf_event_max_sample_rate is ${limit} Hz`;
    const what =
      spec.frequency === null ? words`${RECORD.freq} ${hz}: ${cause}` : `${spec.text}: ${cause}`;
    const reachable = Math.min(hz, spec.isClock ? FASTEST_CLOCK_HZ : HIGHEST_LIMIT_HZ);
    const remedies =
      reachable > limit ? [`sudo sysctl kernel.perf_event_max_sample_rate=${reachable}`] : [];
    if (options.strictFreq) throw new UsageError(what, remedies);
    const help = remedies.map((remedy) => ` (${remedy})`).join('');
    notices.add(`frequency lowered from ${hz} to ${limit} Hz: ${cause}${help}`);
  }
  if (!spec.isClock || lowered <= FASTEST_CLOCK_HZ) return { kind: 'frequency', hz: lowered };
  notices.add(
    `${spec.name}: frequency lowered from ${lowered} to ${FASTEST_CLOCK_HZ} Hz: the kernel's clock ` +
      `events have timers of at least ${SHORTEST_TIMER_NS} ns`,
  );
  return { kind: 'frequency', hz: FASTEST_CLOCK_HZ };
}

/**
 * A clock's period below the shortest timer would be sampled at that timer and still be stored with
 * every sample, so that the profile's total came out too small.
 */
function longEnough(spec: EventSpec, events: number, notices: Notices): SamplingRate {
  if (!spec.isClock || events >= SHORTEST_TIMER_NS) return { kind: 'period', events };
  notices.add(
    `${spec.name}: period raised from ${events} to ${SHORTEST_TIMER_NS} ns: the kernel's clock ` +
      'events have no shorter timer',
  );
  return { kind: 'period', events: SHORTEST_TIMER_NS };
}

function limitOf(settings: KernelSettings): number {
  return settings.maxSampleRateHz ?? USUAL_LIMIT_HZ;
}
