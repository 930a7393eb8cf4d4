import { UsageError } from '../base/errors.ts';
import { SpansOfThreads } from './spans-of-threads.ts';

/**
 * Turns of event loops. A turn begins when a loop has waited for events, and ends when it waits again: it has all
 * that can delay an event, callbacks and what these wait for themselves.
 *
 *     wait │ callbacks of events │ immediates, closing, timers │ wait
 *          fromNs                eventsToNs                    toNs
 *
 * Times are nanoseconds since the recording's start. Rows of a loop follow each other, in time order.
 */
export type TurnTable = {
  readonly length: number;
  /** Row of `loops`. */
  readonly loop: Int32Array;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** End of the callbacks of events; `fromNs` where it is not known. */
  readonly eventsToNs: Float64Array;
  /** The wait before it, nanoseconds. */
  readonly waitedNs: Float64Array;
  /** 1: the first one seen, which may have begun earlier: that in which a program starts. */
  readonly isFirst: Uint8Array;
  /** 1: it had not ended when its program ended, or the recording. */
  readonly isOpen: Uint8Array;
  readonly loops: readonly TurnLoop[];
  readonly short: ShortTurnTable;
};

/** An event loop. */
export type TurnLoop = {
  /** Row of `Profile.threads`; −1 where the recording has no such thread. */
  readonly thread: number;
  readonly pid: number;
  readonly tid: number;
  readonly source: TurnSource;
};

/**
 * The way in which turns were timed: by the library in the program; by the system calls that the loop waits in, which
 * tracepoints sample; or by waits off the CPU, which a loop that finds an event at once has not, so that several turns
 * may be one.
 */
export type TurnSource = 'library' | 'system calls' | 'waits';

/**
 * Turns of less than a millisecond, of which there may be hundreds of thousands a second: only how many took how long
 * is kept, for each loop and second or so.
 */
export type ShortTurnTable = {
  readonly length: number;
  readonly loop: Int32Array;
  /** Begin of the first and end of the last. */
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** Sums: of the turns, and of the waits before them. */
  readonly lengthNs: Float64Array;
  readonly waitedNs: Float64Array;
  /** A column for each of the `SHORT_TURN_BUCKETS`. */
  readonly counts: readonly Float64Array[];
};

const LEAST_OCTAVE = 10;
const BUCKETS_OF_OCTAVE = 8;
const OCTAVES = 10;
/** Bucket 0 has turns of less than 2^10 ns; behind it each octave up to 2^20 ns has eight of equal width. */
export const SHORT_TURN_BUCKETS = 1 + OCTAVES * BUCKETS_OF_OCTAVE;

/** The bucket of a length in nanoseconds; octaves go on above those of short turns. */
export function bucketOf(ns: number): number {
  const octave = Math.floor(Math.log2(Math.max(ns, 1)));
  if (octave < LEAST_OCTAVE) return 0;
  const within = Math.floor((ns / 2 ** octave - 1) * BUCKETS_OF_OCTAVE);
  return 1 + (octave - LEAST_OCTAVE) * BUCKETS_OF_OCTAVE + within;
}

/** The middle of a bucket, nanoseconds: no turn in it is further from that than by 1/17. */
export function middleOfBucket(bucket: number): number {
  if (bucket === 0) return 2 ** LEAST_OCTAVE / 2;
  const octave = LEAST_OCTAVE + Math.floor((bucket - 1) / BUCKETS_OF_OCTAVE);
  const within = (bucket - 1) % BUCKETS_OF_OCTAVE;
  return 2 ** octave * (1 + (within + 0.5) / BUCKETS_OF_OCTAVE);
}

/**
 * The turns that took so long or longer. `threadOf`: the number by which a loop's thread is asked for. Throws `UsageError`
 * where there are no turns at all.
 */
export function longTurns(
  turns: TurnTable | null | undefined,
  leastMs: number,
  threadOf: (loop: TurnLoop) => number,
): SpansOfThreads {
  if (turns === null || turns === undefined) {
    throw new UsageError(
      'the recording has no turns of an event loop: none was in what it recorded, or nothing of perf-ts in that',
    );
  }
  const spans = new SpansOfThreads();
  const { loop, fromNs, toNs, loops } = turns;
  for (let row = 0; row < turns.length; row++) {
    if (toNs[row] - fromNs[row] < leastMs * 1e6) continue;
    spans.add(threadOf(loops[loop[row]]), fromNs[row], toNs[row]);
  }
  return spans;
}
