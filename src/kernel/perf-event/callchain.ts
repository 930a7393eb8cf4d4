import { PERF_CONTEXT } from './constants.ts';

// A callchain is a list of addresses, innermost first, with context markers in between that say
// whose the entries after them are:
//
//   PERF_CONTEXT_KERNEL  ip  return addresses …  PERF_CONTEXT_USER  ip  return addresses …
//
// In signed form (base/u64.ts) the markers are −32 … −4095, where no code lies.

/** `PERF_CONTEXT_MAX`, the lowest marker. */
const LOWEST_MARKER = PERF_CONTEXT.MAX;

/** Whether an entry is a context marker. */
export function isContextMarker(entry: number): boolean {
  return entry < 0 && entry >= LOWEST_MARKER;
}

/**
 * Index of the first entry of user space, `length` if there is none. What lies from there on in the
 * kernel's half is no code but what a broken chain of frame pointers led to.
 */
export function firstUserEntry(callchain: Float64Array, length: number): number {
  for (let i = 0; i < length; i++) {
    if (callchain[i] === PERF_CONTEXT.USER) return i + 1;
  }
  return length;
}

/**
 * The address by which entry `i`, no marker, is looked up: instruction pointers (the innermost of
 * each context) as they are, return addresses one byte before, inside the call.
 */
export function lookupAddressAt(callchain: Float64Array, i: number): number {
  const address = callchain[i];
  const isInnermost = i === 0 || isContextMarker(callchain[i - 1]);
  return isInnermost ? address : address - 1;
}
