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
  const { timeNs, request } = marks.contexts;
  const { next, cursor } = contextsByThread(marks, marks.contexts, threads.length);
  const { event, thread } = samples;
  const sampleNs = samples.timeNs;
  const found = new Int32Array(samples.length).fill(UNKNOWN_REQUEST);
  for (let row = 0; row < samples.length; row++) {
    if (event[row] !== WITH_CONTEXTS) continue;
    const of = thread[row];
    let at = cursor[of];
    while (at !== NONE && timeNs[at] < sampleNs[row]) at = next[at];
    cursor[of] = at;
    if (at !== NONE) found[row] = request[at];
  }
  return found;
}

/**
 * 1 for each sample that ran for another request, or for none, though one that is called so was open on its thread; null where
 * that is not known, or marks of other kinds are called so.
 */
export function ranForOthers(
  profile: Pick<Profile, 'samples' | 'marks' | 'threads'>,
  called: string,
): Uint8Array | null {
  const requestOf = requestOfSamples(profile);
  if (requestOf === null || profile.marks === undefined) return null;
  const { kind } = profile.marks;
  const isCalled = marksCalled(profile.marks, called);
  if (isCalled.some((is, row) => is === 1 && kind[row] !== REQUEST)) return null;
  return Uint8Array.from(requestOf, (row) =>
    row === UNKNOWN_REQUEST || row === UNMARKED_REQUEST || isCalled[row] === 1 ? 0 : 1,
  );
}

/** Lists of the contexts of threads, in the order of their times: the first of each thread, and the one behind each. */
function contextsByThread(
  { loops }: MarkTable,
  { length, loop }: ContextTable,
  threads: number,
): { readonly next: Int32Array; readonly cursor: Int32Array } {
  const next = new Int32Array(length).fill(NONE);
  const cursor = new Int32Array(threads).fill(NONE);
  for (let row = length - 1; row >= 0; row--) {
    const { thread } = loops[loop[row]];
    if (thread === NONE) continue;
    next[row] = cursor[thread];
    cursor[thread] = row;
  }
  return { next, cursor };
}
