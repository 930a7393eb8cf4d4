import { readFileSync } from 'node:fs';

/** `AT_PAGESZ` of getauxval(3). */
const AT_PAGESZ = 6n;
/** Each entry is a key and a value, 64 bits each. */
const ENTRY_BYTES = 16;
const USUAL_PAGE_BYTES = 4096;

/**
 * Bytes of a page of this kernel, in which rings are measured: 4096, on arm64 also 16384 or 65536. The
 * kernel tells each process in its auxiliary vector.
 */
export function readPageBytes(vector = readVector()): number {
  for (let at = 0; at + ENTRY_BYTES <= vector.length; at += ENTRY_BYTES) {
    if (vector.readBigUInt64LE(at) === AT_PAGESZ) return Number(vector.readBigUInt64LE(at + 8));
  }
  return USUAL_PAGE_BYTES;
}

function readVector(): Buffer {
  try {
    return readFileSync('/proc/self/auxv');
  } catch {
    return Buffer.alloc(0);
  }
}
