import type { RecordBody } from './record-body.ts';

const CPU_MAP_LIST = 0;
const CPU_MAP_MASK = 1;
const CPU_MAP_RANGE = 2;

/** More than any machine has, and few enough to print. */
const MOST_CPUS = 65536;

/**
 * The CPUs of a map that begins at `at`, −1 standing for any; null if it is cut or of no known form.
 * Packed, so nothing is aligned.
 *
 *   struct { u16 type;
 *     union {
 *       struct { u16 nr; u16 cpu[nr]; };                        // list
 *       struct { u16 nr, long_size; u32 mask[nr]; };            // mask, long_size 4
 *       struct { u16 nr, long_size; u8 pad[4]; u64 mask[nr]; }; // mask, long_size 8
 *       struct { u8 any_cpu, pad; u16 start, end; };            // range
 *     };
 *   };
 */
export function decodeCpuMap(body: RecordBody, at: number): number[] | null {
  if (!body.has(at + 4)) return null;
  const type = body.u16(at);
  const count = body.u16(at + 2);
  if (type === CPU_MAP_LIST) {
    if (!body.has(at + 4 + 2 * count)) return null;
    return Array.from({ length: count }, (_, i) => body.i16(at + 4 + 2 * i));
  }
  if (type === CPU_MAP_MASK) {
    if (!body.has(at + 6)) return null;
    const wordBytes = body.u16(at + 4);
    if (wordBytes !== 4 && wordBytes !== 8) return null;
    const wordsAt = at + (wordBytes === 8 ? 10 : 6);
    if (!body.has(wordsAt + wordBytes * count)) return null;
    return cpusOfMask(body, wordsAt, count, wordBytes);
  }
  if (type === CPU_MAP_RANGE) {
    if (!body.has(at + 8)) return null;
    const [first, last] = [body.u16(at + 4), body.u16(at + 6)];
    const range = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
    return body.u8(at + 2) ? [-1, ...range] : range;
  }
  return null;
}

function cpusOfMask(body: RecordBody, at: number, count: number, wordBytes: number): number[] {
  const cpus: number[] = [];
  const bits = Math.min(8 * wordBytes * count, MOST_CPUS);
  for (let cpu = 0; cpu < bits; cpu++) {
    const wordAt = at + wordBytes * Math.floor(cpu / (8 * wordBytes));
    const word = wordBytes === 8 ? body.big64(wordAt) : BigInt(body.u32(wordAt));
    if ((word >> BigInt(cpu % (8 * wordBytes))) & 1n) cpus.push(cpu);
  }
  return cpus;
}
