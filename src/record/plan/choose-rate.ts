import { UsageError } from '../../base/errors.ts';
import { words } from '../../base/words.ts';
import type { EventSpec } from '../../kernel/events/event-spec.ts';
import { DEFAULT_FREQUENCY_HZ, RECORD, type RecordSettings } from '../../options/record.ts';
import type { KernelSettings } from '../../system/kernel/kernel-settings.ts';
import { settingLine } from '../../system/kernel/permission-help.ts';
import { readRunPlace } from '../../system/run-place.ts';
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

/**
 * The shortest timer that a clock event is given. `perf_swevent_start_hrtimer` takes 10 µs, and the kernel bounds the time of
 * its interrupts by nothing: at that rate those of a virtual machine left its CPU no time for anything else, and the program and the
 * kernel stood still for 20 to 230 s (Linux 6.18, "soft lockup").
 */
const SHORTEST_TIMER_NS = 20_000;
const FASTEST_CLOCK_HZ = 1_000_000_000 / SHORTEST_TIMER_NS;
const WHY_NO_FASTER = 'a faster clock may stop the machine';
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
  const fastest = spec.isClock ? FASTEST_CLOCK_HZ : HIGHEST_LIMIT_HZ;
  const lowered = Math.min(hz, limit, fastest);
  if (lowered < hz && (spec.frequency !== null || options.freq !== 'max')) {
    const { of, cause, remedies } =
      limit < fastest
        ? kernelLimit(limit, Math.min(hz, fastest))
        : { of: `${spec.name}: `, cause: WHY_NO_FASTER, remedies: [] };
    if (options.strictFreq) {
      const asked = spec.frequency === null ? words`${RECORD.freq} ${hz}` : spec.text;
      throw new UsageError(words`${asked}: ${cause}`, remedies);
    }
    const help = remedies.map((remedy) => ` (${remedy})`).join('');
    notices.add(`${of}frequency lowered from ${hz} to ${lowered} Hz: ${cause}${help}`);
  }
  return { kind: 'frequency', hz: lowered };
}

/** The limit that all events have, and what raises it to `hz`. */
function kernelLimit(limit: number, hz: number) {
  const setting = 'kernel.perf_event_max_sample_rate';
  const remedies = [settingLine(readRunPlace(), `${setting}=${hz}`)];
  return { of: '', cause: `${setting} is ${limit} Hz`, remedies };
}

/**
 * A clock's period below the shortest timer would be sampled at that timer and still be stored with
 * every sample, so that the profile's total came out too small.
 */
function longEnough(spec: EventSpec, events: number, notices: Notices): SamplingRate {
  if (!spec.isClock || events >= SHORTEST_TIMER_NS) return { kind: 'period', events };
  notices.add(
    `${spec.name}: period raised from ${events} to ${SHORTEST_TIMER_NS} ns: ${WHY_NO_FASTER}`,
  );
  return { kind: 'period', events: SHORTEST_TIMER_NS };
}

function limitOf(settings: KernelSettings): number {
  return settings.maxSampleRateHz ?? USUAL_LIMIT_HZ;
}
