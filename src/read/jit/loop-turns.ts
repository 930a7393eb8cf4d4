import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import { type RawTime, readTimeSince, readU64 } from '../../base/u64.ts';
import { CODE_EVENT, type CodeRecord, RECORD_BYTES } from '../../code/jit/code-record.ts';
import { SHORT_TURN_BUCKETS, type TurnLoop, type TurnTable } from '../../profile/turn-table.ts';
import type { LoopVisitor } from './loop-visitor.ts';

/**
 * Places in the body of a record:
 *
 *     TURN         u64 begin_ns, length, events_length, waited, flags
 *     SHORT_TURNS  u64 from_ns, to_ns, length, waited; u32 counts[81], 0
 */
export const TURN_AT = { LENGTH: 8, EVENTS: 16, WAITED: 24, FLAGS: 32 } as const;
export const SHORT_TURNS_AT = { TO: 8, LENGTH: 16, WAITED: 24, COUNTS: 32 } as const;
/** Bits of a turn's flags. */
export const FIRST_TURN = 1;
const OPEN_TURN = 2;

/** The turns of event loops. */
export class TurnTableBuilder implements LoopVisitor {
  readonly #loops: TurnLoop[] = [];
  readonly #loop = new GrowableInt32(256);
  readonly #fromNs = new GrowableFloat64(256);
  readonly #toNs = new GrowableFloat64(256);
  readonly #eventsToNs = new GrowableFloat64(256);
  readonly #waitedNs = new GrowableFloat64(256);
  readonly #flags = new GrowableUint8(256);
  readonly #shortLoop = new GrowableInt32(64);
  readonly #shortFromNs = new GrowableFloat64(64);
  readonly #shortToNs = new GrowableFloat64(64);
  readonly #shortLengthNs = new GrowableFloat64(64);
  readonly #shortWaitedNs = new GrowableFloat64(64);
  readonly #shortCounts = Array.from({ length: SHORT_TURN_BUCKETS }, () => new GrowableFloat64(64));

  begin(loop: TurnLoop): void {
    this.#loops.push(loop);
  }

  take(view: DataView, { type, at }: CodeRecord, origin: RawTime): void {
    const body = at + RECORD_BYTES;
    const sinceStart = (place: number) => readTimeSince(view, place, true, origin);
    if (type === CODE_EVENT.TURN) this.#addTurn(view, body, sinceStart(body));
    else if (type === CODE_EVENT.SHORT_TURNS) {
      this.#shortFromNs.push(sinceStart(body));
      this.#shortToNs.push(sinceStart(body + SHORT_TURNS_AT.TO));
      this.#addShort(view, body);
    }
  }

  #addTurn(view: DataView, body: number, fromNs: number): void {
    const flags = view.getUint32(body + TURN_AT.FLAGS, true);
    const last = this.#fromNs.length - 1;
    const isKnown = last >= 0 && this.#loop.array[last] === this.#loops.length - 1;
    // One that ended while the recording did is there twice.
    if ((flags & OPEN_TURN) !== 0 && isKnown && this.#toNs.array[last] > fromNs) return;
    this.#loop.push(this.#loops.length - 1);
    this.#fromNs.push(fromNs);
    this.#toNs.push(fromNs + readU64(view, body + TURN_AT.LENGTH, true));
    this.#eventsToNs.push(fromNs + readU64(view, body + TURN_AT.EVENTS, true));
    this.#waitedNs.push(readU64(view, body + TURN_AT.WAITED, true));
    this.#flags.push(flags);
  }

  #addShort(view: DataView, body: number): void {
    this.#shortLoop.push(this.#loops.length - 1);
    this.#shortLengthNs.push(readU64(view, body + SHORT_TURNS_AT.LENGTH, true));
    this.#shortWaitedNs.push(readU64(view, body + SHORT_TURNS_AT.WAITED, true));
    for (let bucket = 0; bucket < SHORT_TURN_BUCKETS; bucket++) {
      this.#shortCounts[bucket].push(
        view.getUint32(body + SHORT_TURNS_AT.COUNTS + 4 * bucket, true),
      );
    }
  }

  /** Null where the loops have none. */
  finish(): TurnTable | null {
    if (this.#fromNs.length === 0 && this.#shortLoop.length === 0) return null;
    const flags = this.#flags.finish();
    return {
      length: flags.length,
      loop: this.#loop.finish(),
      fromNs: this.#fromNs.finish(),
      toNs: this.#toNs.finish(),
      eventsToNs: this.#eventsToNs.finish(),
      waitedNs: this.#waitedNs.finish(),
      isFirst: flags.map((bits) => (bits & FIRST_TURN) / FIRST_TURN),
      isOpen: flags.map((bits) => (bits & OPEN_TURN) / OPEN_TURN),
      loops: this.#loops,
      short: {
        length: this.#shortLoop.length,
        loop: this.#shortLoop.finish(),
        fromNs: this.#shortFromNs.finish(),
        toNs: this.#shortToNs.finish(),
        lengthNs: this.#shortLengthNs.finish(),
        waitedNs: this.#shortWaitedNs.finish(),
        counts: this.#shortCounts.map((column) => column.finish()),
      },
    };
  }
}
