// Hot: once per sample.

import { NONE } from '../base/brand.ts';
import {
  type ContextTable,
  MARK_KINDS,
  type MarkTable,
  marksCalled,
  UNKNOWN_REQUEST,
  UNMARKED_REQUEST,
} from './mark-table.ts';
import type { Profile } from './types.ts';

/** The event whose samples have contexts. */
const WITH_CONTEXTS = 0;
const REQUEST = MARK_KINDS.indexOf('request');

/**
 * The request that each sample ran for: a row of the marks, or one of `NO_REQUEST`, `UNMARKED_REQUEST` and `UNKNOWN_REQUEST`; null where
 * the recording has no contexts.
 */
export function requestOfSamples({
  samples,
  marks,
  threads,
}: Pick<Profile, 'samples' | 'marks' | 'threads'>): Int32Array | null {
  if (marks?.contexts === undefined) return null;
  const { contexts, pool } = marks;
  const contextOf = contextOfSamples({ samples, marks, threads }) as Int32Array;
  const workOf = workOfSamples({ samples, marks, threads });
  const { event } = samples;
  const found = new Int32Array(samples.length).fill(UNKNOWN_REQUEST);
  for (let row = 0; row < samples.length; row++) {
    if (event[row] !== WITH_CONTEXTS) continue;
    const context = contextOf[row];
    if (context !== NONE) found[row] = contexts.request[context];
    const work = workOf?.[row] ?? NONE;
    if (work !== NONE && pool !== undefined) found[row] = pool.request[work];
  }
  return found;
}

/** The work that each sample of libuv's pool was taken in, as a row of `MarkTable.pool`, −1: none; null where none is known. */
export function workOfSamples({
  samples,
  marks,
  threads,
}: Pick<Profile, 'samples' | 'marks' | 'threads'>): Int32Array | null {
  if (marks?.pool === undefined) return null;
  const { pool } = marks;
  const cursor = new ContextCursor(marks, pool, threads.length);
  const { event, thread, timeNs } = samples;
  return Int32Array.from({ length: samples.length }, (_, row) => {
    if (event[row] !== WITH_CONTEXTS) return NONE;
    const work = cursor.findFrom(thread[row], timeNs[row]);
    return work !== NONE && pool.timeNs[work] === timeNs[row] ? work : NONE;
  });
}

/** The context of each sample by itself, as a row of `MarkTable.contexts`, −1: none; null where the recording has none. */
export function contextOfSamples({
  samples,
  marks,
  threads,
}: Pick<Profile, 'samples' | 'marks' | 'threads'>): Int32Array | null {
  if (marks?.contexts === undefined) return null;
  const own = new ContextCursor(marks, marks.contexts, threads.length);
  const { event, thread, timeNs } = samples;
  const found = new Int32Array(samples.length).fill(NONE);
  for (let row = 0; row < samples.length; row++) {
    if (event[row] === WITH_CONTEXTS) found[row] = own.findFrom(thread[row], timeNs[row]);
  }
  return found;
}

/** The answer for a sample where requests that are called so are asked for: it ran for one of them, for others, or it is not known. */
export const RAN_FOR = { unknown: 0, others: 1, them: 2 } as const;

/**
 * `RAN_FOR` by row of the samples: for one that is called so, for another or for none, though one that is called so was open on its thread; null where
 * that is not known, or marks of other kinds are called so.
 */
export function ranFor(
  profile: Pick<Profile, 'samples' | 'marks' | 'threads'>,
  called: string,
): Uint8Array | null {
  const requestOf = requestOfSamples(profile);
  if (requestOf === null || profile.marks === undefined) return null;
  const { kind } = profile.marks;
  const isCalled = marksCalled(profile.marks, called);
  if (isCalled.some((is, row) => is === 1 && kind[row] !== REQUEST)) return null;
  return Uint8Array.from(requestOf, (row) => {
    if (row === UNKNOWN_REQUEST || row === UNMARKED_REQUEST) return RAN_FOR.unknown;
    return isCalled[row] === 1 ? RAN_FOR.them : RAN_FOR.others;
  });
}

/** The contexts of threads, as time goes on. */
class ContextCursor {
  readonly #timeNs: Float64Array;
  /** Lists of the rows of each thread, in the order of their times: the one that is next, and the one behind each. */
  readonly #cursor: Int32Array;
  readonly #next: Int32Array;

  constructor(
    { loops }: MarkTable,
    { length, loop, timeNs }: Pick<ContextTable, 'length' | 'loop' | 'timeNs'>,
    threads: number,
  ) {
    this.#timeNs = timeNs;
    this.#cursor = new Int32Array(threads).fill(NONE);
    this.#next = new Int32Array(length).fill(NONE);
    for (let row = length - 1; row >= 0; row--) {
      const { thread } = loops[loop[row]];
      if (thread === NONE) continue;
      this.#next[row] = this.#cursor[thread];
      this.#cursor[thread] = row;
    }
  }

  /** The first context of a thread at or behind a time; −1: it has none. Times only grow. */
  findFrom(thread: number, timeNs: number): number {
    let at = this.#cursor[thread];
    while (at !== NONE && this.#timeNs[at] < timeNs) at = this.#next[at];
    this.#cursor[thread] = at;
    return at;
  }
}
