import { PERF_RECORD } from '../../kernel/perf-event/constants.ts';
import { readFully } from '../../system/files/read-some.ts';

/** The end of a round in the file, and the clock of the recording once it was there. */
export type RoundEnd = { readonly end: number; readonly atNs: bigint };

/** Ends that are remembered: of longer recordings the gaps between them grow. */
const MOST_ENDS = 2048;
const READ_BYTES = 1 << 20;
const HEAD_BYTES = 8;

/** The places at which the data could end earlier than it does, with whole records and whole rounds. */
export class RoundEnds {
  #ends: RoundEnd[] = [];

  add(end: RoundEnd): void {
    this.#ends.push(end);
    if (this.#ends.length > MOST_ENDS)
      this.#ends = this.#ends.filter((_, index) => index % 2 === 1);
  }

  /** The last one up to `most`; null where it lies before `least`. */
  lastUpTo(most: number, least: number): RoundEnd | null {
    const found = this.#ends.findLast(({ end }) => end <= most) ?? null;
    return found !== null && found.end >= least ? found : null;
  }
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
