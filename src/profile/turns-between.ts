import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../base/growable-columns.ts';
import { joinBytes, joinFloats, joinInts } from '../base/join-bytes.ts';
import type { Spans } from '../base/spans.ts';
import { bucketOf, SHORT_TURN_BUCKETS, type TurnLoop, type TurnTable } from './turn-table.ts';

/** The waits of an event loop for events. */
export type LoopWaits = {
  readonly loop: TurnLoop;
  /** Nanoseconds since the recording's start. */
  readonly waits: Spans;
  /** A time at which the thread still was there: a turn that has not ended is known until then. */
  readonly lastNs: number;
};

/** Shorter turns are counted only, as the library in a program counts them. */
const LEAST_TURN_NS = 1e6;
const GATHER_SHORT_NS = 1e9;

/**
 * Turns of loops of which the waits are known: all between two of them. What was before the first wait is none, since it
 * is not known when it began. Null where there is none.
 *
 *     │ wait │ turn │ wait │ turn │ wait │
 */
export function turnsBetween(loops: readonly LoopWaits[]): TurnTable | null {
  const rows = new TurnRows();
  for (const [loop, { waits, lastNs }] of loops.entries()) {
    const { array: begins, length } = waits.from;
    const ends = waits.to.array;
    for (let i = 1; i < length; i++) {
      rows.add(loop, ends[i - 1], begins[i], ends[i - 1] - begins[i - 1]);
    }
    const begin = ends[length - 1];
    if (lastNs - begin >= LEAST_TURN_NS) {
      rows.add(loop, begin, lastNs, begin - begins[length - 1], true);
    }
    rows.flushShort();
  }
  return rows.finish(loops.map(({ loop }) => loop));
}

class TurnRows {
  readonly #loop = new GrowableInt32(64);
  readonly #fromNs = new GrowableFloat64(64);
  readonly #toNs = new GrowableFloat64(64);
  readonly #waitedNs = new GrowableFloat64(64);
  readonly #isOpen = new GrowableUint8(64);
  readonly #short: { loop: number; from: number; to: number; length: number; waited: number }[] =
    [];
  readonly #shortCounts = Array.from({ length: SHORT_TURN_BUCKETS }, () => new GrowableFloat64(16));
  /** The last of `#short` takes more. */
  #isGathering = false;

  add(loop: number, from: number, to: number, waited: number, isOpen = false): void {
    if (to - from < LEAST_TURN_NS) {
      this.#addShort(loop, from, to, waited);
      return;
    }
    this.#loop.push(loop);
    this.#fromNs.push(from);
    this.#toNs.push(to);
    this.#waitedNs.push(waited);
    this.#isOpen.push(isOpen ? 1 : 0);
  }

  #addShort(loop: number, from: number, to: number, waited: number): void {
    if (!this.#isGathering) {
      this.#short.push({ loop, from, to, length: 0, waited: 0 });
      for (const column of this.#shortCounts) column.push(0);
      this.#isGathering = true;
    }
    const row = this.#short.length - 1;
    const own = this.#short[row];
    own.to = to;
    own.length += to - from;
    own.waited += waited;
    this.#shortCounts[bucketOf(to - from)].array[row]++;
    if (to - own.from >= GATHER_SHORT_NS) this.flushShort();
  }

  /** Gives the next short turn a row of its own: it is of another loop, or of another second. */
  flushShort(): void {
    this.#isGathering = false;
  }

  finish(loops: readonly TurnLoop[]): TurnTable | null {
    const { length } = this.#loop;
    const short = this.#short;
    if (length === 0 && short.length === 0) return null;
    const fromNs = this.#fromNs.finish();
    const columnOf = (key: 'from' | 'to' | 'length' | 'waited') =>
      Float64Array.from(short, (row) => row[key]);
    return {
      length,
      loop: this.#loop.finish(),
      fromNs,
      toNs: this.#toNs.finish(),
      eventsToNs: fromNs,
      waitedNs: this.#waitedNs.finish(),
      isFirst: new Uint8Array(length),
      isOpen: this.#isOpen.finish(),
      loops,
      short: {
        length: short.length,
        loop: Int32Array.from(short, ({ loop }) => loop),
        fromNs: columnOf('from'),
        toNs: columnOf('to'),
        lengthNs: columnOf('length'),
        waitedNs: columnOf('waited'),
        counts: this.#shortCounts.map((column) => column.finish()),
      },
    };
  }
}

/** The turns of both, whose loops are different ones. */
export function joinTurns(turns: TurnTable | null, others: TurnTable | null): TurnTable | null {
  if (turns === null || others === null) return turns ?? others;
  const moved = (loop: Int32Array) => loop.map((row) => row + turns.loops.length);
  const loopsOf = (a: Int32Array, b: Int32Array) => joinInts(a, moved(b));
  const [own, added] = [turns.short, others.short];
  return {
    length: turns.length + others.length,
    loop: loopsOf(turns.loop, others.loop),
    fromNs: joinFloats(turns.fromNs, others.fromNs),
    toNs: joinFloats(turns.toNs, others.toNs),
    eventsToNs: joinFloats(turns.eventsToNs, others.eventsToNs),
    waitedNs: joinFloats(turns.waitedNs, others.waitedNs),
    isFirst: joinBytes(turns.isFirst, others.isFirst),
    isOpen: joinBytes(turns.isOpen, others.isOpen),
    loops: [...turns.loops, ...others.loops],
    short: {
      length: own.length + added.length,
      loop: loopsOf(own.loop, added.loop),
      fromNs: joinFloats(own.fromNs, added.fromNs),
      toNs: joinFloats(own.toNs, added.toNs),
      lengthNs: joinFloats(own.lengthNs, added.lengthNs),
      waitedNs: joinFloats(own.waitedNs, added.waitedNs),
      counts: own.counts.map((column, bucket) => joinFloats(column, added.counts[bucket])),
    },
  };
}
