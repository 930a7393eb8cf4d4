import { recordedLength, sampledWithin } from '../sampled-time.ts';
import type { TimeRange } from '../time-range.ts';
import type { Profile, ProfileEvent } from '../types.ts';

/**
 * How two recordings are compared:
 *
 * - `absolute`: weights as they are, so for programs that ran from beginning to end;
 * - `second`: weights per second that was recorded, for a part of what runs on;
 * - `share`: parts of all weight. Where one function takes more, all others have less.
 */
export const DIFF_MEASURES = ['absolute', 'second', 'share'] as const;
/** A measure in which recordings are compared: a name of `DIFF_MEASURES`. */
export type DiffMeasure = (typeof DIFF_MEASURES)[number];

/** Options of recorders that record what runs on, not a command: `-a`, `-ga`, `-p 12`, `--pid=12`. */
const RUNS_ON = /^(-[a-zA-Z]*[apt]\d*|--(all-cpus|pid|tid|name)(=.*)?)$/;
/** Short options that end in one of these letters, too. */
const NO_TARGET = /^-[a-zA-Z]*[FcemoCDGkjWuI]/;

/**
 * How a recording is compared at first: per second where its command line says that it is of what ran on;
 * else as it is, since a command that takes longer is recorded for longer.
 */
export function firstMeasure({ meta, samples }: Profile): DiffMeasure {
  const { commandLine } = meta;
  const end = commandLine.indexOf('--');
  const own = commandLine.slice(0, end < 0 ? undefined : end);
  const runsOn = own.some((word) => RUNS_ON.test(word) && !NO_TARGET.test(word));
  return runsOn && secondsOf({ samples, meta }) !== null ? 'second' : 'absolute';
}

/**
 * Whether events were sampled at the same rate; null where that of one is not known. Sampling takes time of what runs,
 * so that a program takes longer at a higher rate; and numbers of samples are of the rate.
 */
export function areAllSampledAlike(events: readonly ProfileEvent[]): boolean | null {
  if (events.some((event) => event.frequencyHz === null && event.fixedPeriod === null)) return null;
  return events.every(
    ({ frequencyHz, fixedPeriod }) =>
      frequencyHz === events[0].frequencyHz && fixedPeriod === events[0].fixedPeriod,
  );
}

/**
 * Seconds in which the events were enabled up to the last sample, or within `times`; null where samples have no times.
 */
export function secondsOf(
  { samples, meta }: Pick<Profile, 'samples' | 'meta'>,
  times?: readonly TimeRange[],
): number | null {
  const endNs = recordedLength({ samples, meta })?.recordedNs;
  if (endNs === undefined) return null;
  let sum = 0;
  for (const { fromNs, toNs } of times ?? [{ fromNs: 0, toNs: endNs }]) {
    const range = { fromNs: Math.max(fromNs, 0), toNs: Math.min(toNs, endNs) };
    sum += sampledWithin(meta.sampled, range);
  }
  return sum / 1e9;
}
