import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import type { SamplerEvent } from '../../native/types.ts';
import { readFully } from '../../system/files/read-some.ts';

const READ_BYTES = 1 << 20;
const HEAD_BYTES = 8;

/** The last round that ends up to `most`; null where it ends before `least`. */
export function lastRoundUpTo(
  { ends, atNs }: Extract<SamplerEvent, { kind: 'recording-ended' }>['roundEnds'],
  most: number,
  least: number,
): { readonly end: number; readonly atNs: bigint } | null {
  const found = ends.findLastIndex((end) => end <= most);
  return found >= 0 && ends[found] >= least ? { end: ends[found], atNs: atNs[found] } : null;
}

/** The samples among the records of `fd` from `from` up to `to`, where records begin and end. */
export function countSamples(fd: number, from: number, to: number): number {
  const bytes = new Uint8Array(READ_BYTES);
  const view = new DataView(bytes.buffer);
  let samples = 0;
  let start = from;
  while (start < to) {
    const length = readFully(fd, bytes.subarray(0, Math.min(READ_BYTES, to - start)), start);
    let at = 0;
    for (let size = 0; at + HEAD_BYTES <= length; at += size) {
      size = view.getUint16(at + 6, true);
      if (size < HEAD_BYTES || at + size > length) break;
      if (view.getUint32(at, true) === PERF_RECORD.SAMPLE) samples++;
    }
    if (at === 0) break;
    start += at;
  }
  return samples;
}
