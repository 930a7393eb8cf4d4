import { readU64 } from '../../../base/u64.ts';
import { CODE_EVENT, type CodeRecord, RECORD_BYTES } from '../../../code/jit/code-record.ts';
import { bucketOf, middleOfBucket, SHORT_TURN_BUCKETS } from '../../../profile/turn-table.ts';
import { FIRST_TURN, SHORT_TURNS_AT, TURN_AT } from '../../../read/jit/loop-turns.ts';

/** Longer turns, of more than two days, count as these. */
const LONGEST_NS = 2 ** 48 - 1;

export function isOfTurns({ type }: CodeRecord): boolean {
  return type === CODE_EVENT.TURN || type === CODE_EVENT.SHORT_TURNS;
}

/** Turns of event loops counted by their length, which is known to 6 %. Its size does not grow with their number. */
export class TurnCounts {
  readonly #counts = new Float64Array(bucketOf(LONGEST_NS) + 1);
  turns = 0;
  /** Sum of their lengths, nanoseconds. */
  busyNs = 0;

  /** Counts a record that `isOfTurns`, in `bytes`. */
  take({ type, at }: CodeRecord, bytes: Uint8Array): void {
    const view = new DataView(bytes.buffer, bytes.byteOffset + at + RECORD_BYTES);
    if (type === CODE_EVENT.TURN) {
      // It runs since before there was a recorder.
      if ((view.getUint32(TURN_AT.FLAGS, true) & FIRST_TURN) !== 0) return;
      const length = readU64(view, TURN_AT.LENGTH, true);
      this.#count(bucketOf(Math.min(length, LONGEST_NS)), 1);
      this.busyNs += length;
      return;
    }
    for (let bucket = 0; bucket < SHORT_TURN_BUCKETS; bucket++) {
      this.#count(bucket, view.getUint32(SHORT_TURNS_AT.COUNTS + 4 * bucket, true));
    }
    this.busyNs += readU64(view, SHORT_TURNS_AT.LENGTH, true);
  }

  #count(bucket: number, turns: number): void {
    this.#counts[bucket] += turns;
    this.turns += turns;
  }

  add(other: TurnCounts): void {
    other.#counts.forEach((turns, bucket) => {
      this.#count(bucket, turns);
    });
    this.busyNs += other.busyNs;
  }

  /** The length that this part of the turns does not exceed, nanoseconds; NaN where there are none. */
  quantile(share: number): number {
    let seen = 0;
    const bucket = this.#counts.findIndex((turns) => {
      seen += turns;
      return turns > 0 && seen >= share * this.turns;
    });
    return bucket < 0 ? Number.NaN : middleOfBucket(bucket);
  }
}
