import { roundStep } from '../../../src/base/numbers.ts';
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
  if (track.branch !== null && track.branch.name !== '') {
    return { name: track.branch.name, which: `${track.branch.which} ×${count}` };
  }
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
  /** The height of all tracks, where it is not what one expects: `top 20%`; empty: each is 100% of its CPUs high. */
  readonly note: string;
  /** How much of the window no event was enabled in. */
  readonly unsampledNs: number;
};

/** Parts of a CPU that the top of all tracks means at least. */
const LEAST_TOP = 0.01;

/**
 * Time is drawn as a share of a CPU, or of a part of one where no thread was ever on it for more: a server that idles
 * would be a line. Of counters the highest rate of any track is the top.
 */
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
    const fullOf = (track: Track) => (track.kind === 'idle' ? Math.max(1, cpus) : mostOf(track));
    const highest = result.tracks.reduce(
      (most, track) => Math.max(most, highestRate(track, result) / fullOf(track)),
      0,
    );
    // The least round part that none exceeds.
    const isPart = !result.areWaits && highest > 0;
    const top = isPart ? Math.min(1, Math.max(LEAST_TOP, roundStep(highest))) : 1;
    const note = top < 1 ? `top ${formatPercent(top)}` : '';
    return {
      ofTrack: (track) => fullOf(track) * top,
      describe: (track) => {
        const most = fullOf(track);
        const part = most > 1 ? `${most} CPUs` : timeWordOf(result);
        return `full height: ${top === 1 && most > 1 ? '' : `${formatPercent(top)} of `}${part}`;
      },
      note,
      unsampledNs,
      figureOf: ({ weight }) => formatPercent(shareOf(weight)),
    };
  }
  const most = result.tracks.reduce((top, track) => Math.max(top, highestRate(track, result)), 0);
  const perSecond = (rate: number) => `${formatShort(rate * 1e9, 3)}/s`;
  return {
    ofTrack: () => (most > 0 ? most : 1),
    describe: () => `full height: ${perSecond(most)}`,
    note: '',
    unsampledNs,
    figureOf: ({ weight }) => (spanNs > 0 ? perSecond(shareOf(weight)) : '–'),
  };
}

/** The words for 100% of a track: a CPU, or the time that passed. */
export function timeWordOf({ isCpuTime }: Pick<TracksResult, 'isCpuTime'>): string {
  return isCpuTime ? 'a CPU' : 'the time';
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
  { unit, areWaits, isCpuTime }: TracksResult,
  scale: TrackScale,
  { threads }: Pick<OpenResult, 'threads'>,
): string {
  const parts = [`${longName(track, threads)}: ${formatWeight(track.weight, unit)}`];
  const isTime = unit === 'nanoseconds';
  const figure = scale.figureOf(track);
  if (areWaits) parts.push(isTime ? `waiting for ${figure} of the time` : figure);
  else parts.push(isTime ? `${figure} of ${timeWordOf({ isCpuTime })}` : figure);
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
function programName({ rows, branch }: Track, threads: OpenResult['threads']): string {
  if (branch !== null && branch.name !== '') return `${branch.name}${branch.which}`;
  return foldDigits(threads[rows[0]]?.name ?? '');
}

/** The thread of a track with its pid and tid, or how many threads it has. */
export function longName(track: Track, threads: OpenResult['threads']): string {
  if (track.kind === 'idle') return 'Idle CPUs';
  const thread = threads[track.thread];
  const count = formatCount(track.rows.length);
  if (track.kind === 'program') return `${count} threads of ${programName(track, threads)}`;
  if (thread === undefined) return `${count} more threads`;
  // Files of other profilers do not have the numbers.
  return thread.pid < 0 ? thread.name : `${thread.name} (pid ${thread.pid}, tid ${thread.tid})`;
}
