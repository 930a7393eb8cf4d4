import { sampledWithin } from '../../../src/profile/sampled-time.ts';
import type { ProfileMeta } from '../../../src/profile/types.ts';
import { formatCount, formatNanos, formatShort, formatWeight } from '../ask/format.ts';
import type { Range } from '../state/state.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import type { Track, TracksResult } from '../worker/messages/track-messages.ts';
import { foldDigits } from '../worker/recording/thread-names.ts';

/** A name, which may be cut, and what tells it from others of the same name. */
type ShortName = { readonly name: string; readonly which: string };

/**
 * The names of threads in little room: as everywhere, but for the word thread, and with their tid
 * where others have the same name. By ThreadIndex.
 */
export function shortNames(threads: OpenResult['threads']): ShortName[] {
  const active = new Map<string, number>();
  for (const { name, samples } of threads) {
    if (samples > 0) active.set(name, (active.get(name) ?? 0) + 1);
  }
  return threads.map(({ name, tid }) => ({
    name: name.replace(/ main thread$/, ' main'),
    which: (active.get(name) ?? 0) > 1 ? ` ${tid}` : '',
  }));
}

/** The name of a track in little room; `names` are those of its threads. */
export function trackName(
  track: Track,
  names: readonly ShortName[],
  threads: OpenResult['threads'],
): ShortName {
  const { kind, thread, rows } = track;
  const count = formatCount(rows.length);
  if (kind === 'idle') return { name: 'idle', which: '' };
  if (kind === 'merged') return { name: `${count} more`, which: '' };
  if (kind === 'program') return { name: programName(track, threads), which: ` ×${count}` };
  return names[thread] ?? { name: '[unknown]', which: '' };
}

/** The meaning of the tracks' heights and figures. */
export type TrackScale = {
  /** Weight per nanosecond at the top of a track, and what it is in words. */
  readonly ofTrack: (track: Track) => number;
  readonly describe: (track: Track) => string;
  /** `63%`: of a CPU; `1.2k/s` of what is no time. */
  readonly figureOf: (track: Track) => string;
  /** How much of the window no event was enabled in. */
  readonly unsampledNs: number;
};

/** Time is drawn as a share of a CPU; of counters the highest rate of any track is the top. */
export function scaleOf(
  result: TracksResult,
  cpus: number,
  sampled: ProfileMeta['sampled'],
  window: Range,
): TrackScale {
  // Whoever was not sampled may have worked.
  const spanNs = sampledWithin(sampled, window);
  const unsampledNs = window.toNs - window.fromNs - spanNs;
  const shareOf = (weight: number): number => (spanNs > 0 ? weight / spanNs : Number.NaN);
  if (result.unit === 'nanoseconds') {
    const mostOf = ({ kind, rows: { length } }: Track) =>
      kind === 'thread' ? 1 : Math.max(1, result.areWaits ? length : Math.min(length, cpus));
    return {
      ofTrack: (track) => (track.kind === 'idle' ? Math.max(1, cpus) : mostOf(track)),
      describe: (track) => {
        const most = track.kind === 'idle' ? cpus : mostOf(track);
        return most <= 1 ? 'full height: 100% of a CPU' : `full height: ${most} CPUs`;
      },
      unsampledNs,
      figureOf: ({ weight }) => formatPercent(shareOf(weight)),
    };
  }
  const most = result.tracks.reduce((top, track) => Math.max(top, highestRate(track, result)), 0);
  const perSecond = (rate: number) => `${formatShort(rate * 1e9, 3)}/s`;
  return {
    ofTrack: () => (most > 0 ? most : 1),
    describe: () => `full height: ${perSecond(most)}`,
    unsampledNs,
    figureOf: ({ weight }) => (spanNs > 0 ? perSecond(shareOf(weight)) : '–'),
  };
}

/** The weight per nanosecond of the track's heaviest cell. */
export function highestRate({ groups }: Track, { grid }: TracksResult): number {
  const { length, cellNs } = grid;
  let most = 0;
  for (let cell = 0; cell < length; cell++) {
    let sum = 0;
    for (let at = cell; at < groups.length; at += length) sum += groups[at];
    most = Math.max(most, sum);
  }
  return most / cellNs;
}

/** `63%`; of little `0.4%`; – where nothing was sampled. */
function formatPercent(share: number): string {
  if (Number.isNaN(share)) return '–';
  const percent = share * 100;
  if (percent === 0) return '0%';
  if (percent < 0.1) return '<0.1%';
  return `${percent < 10 ? percent.toFixed(1) : percent.toFixed(0)}%`;
}

/** The picture of a track in a sentence. */
export function describeTrack(
  track: Track,
  { unit, areWaits }: TracksResult,
  scale: TrackScale,
  { threads }: Pick<OpenResult, 'threads'>,
): string {
  const parts = [`${longName(track, threads)}: ${formatWeight(track.weight, unit)}`];
  const isTime = unit === 'nanoseconds';
  const figure = scale.figureOf(track);
  if (areWaits) parts.push(isTime ? `waiting for ${figure} of the time` : figure);
  else parts.push(isTime ? `${figure} of a CPU` : figure);
  if (!Number.isNaN(track.busyFromNs)) {
    const at = (ns: number) => `${(ns / 1e9).toFixed(3)} s`;
    parts.push(
      `${areWaits ? 'waits' : 'busy'} from ${at(track.busyFromNs)} to ${at(track.busyToNs)}`,
    );
  }
  if (track.waitNs > 0 && !areWaits)
    parts.push(`waits of ${formatNanos(track.waitNs)} are hatched`);
  if (scale.unsampledNs > 0) {
    parts.push(
      `${formatNanos(scale.unsampledNs)} in which nothing was sampled are hatched, and not counted`,
    );
  }
  parts.push(scale.describe(track));
  return parts.join(', ');
}

/** The name that the threads of a program have, without the numbers that tell them apart. */
function programName({ rows }: Track, threads: OpenResult['threads']): string {
  return foldDigits(threads[rows[0]]?.name ?? '');
}

/** The thread of a track with its pid and tid, or how many threads it has. */
export function longName(track: Track, threads: OpenResult['threads']): string {
  if (track.kind === 'idle') return 'Idle CPUs';
  const thread = threads[track.thread];
  const count = formatCount(track.rows.length);
  if (track.kind === 'program') return `${count} threads of ${programName(track, threads)}`;
  if (thread === undefined) return `${count} more threads`;
  return `${thread.name} (pid ${thread.pid}, tid ${thread.tid})`;
}
