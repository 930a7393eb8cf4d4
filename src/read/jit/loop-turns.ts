import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import { type RawTime, readTimeSince, readU64 } from '../../base/u64.ts';
import { eachStream } from '../../code/jit/code-events.ts';
import {
  CODE_EVENT,
  CodeRecord,
  isStreamAt,
  RECORD_BYTES,
  STREAM_HEADER_BYTES,
} from '../../code/jit/code-record.ts';
import { readAppendix } from '../../formats/perf-data/appendix.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import { SHORT_TURN_BUCKETS, type TurnLoop, type TurnTable } from '../../profile/turn-table.ts';
import type { ProfileThread } from '../../profile/types.ts';
import { StoredFiles } from '../files/stored-files.ts';
import { LOOP_TURNS_ATTACHMENT } from './attachment-names.ts';

/** More than any loop writes in a day. */
const MOST_TURN_BYTES = 2 ** 28;
const MOST_LOOPS = 10_000;

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

/** The bytes that a process sent of its event loops. */
export type LoopStreams = { readonly pid: number; readonly bytes: Uint8Array };

/** The streams of event loops that a recording keeps, with their turns and marks. */
export function readLoopStreams(data: PerfData, diagnostics: Diagnostics): LoopStreams[] {
  const stored = new StoredFiles(data, diagnostics);
  return readAppendix(data).flatMap(({ name }): LoopStreams[] => {
    if (!name.startsWith(LOOP_TURNS_ATTACHMENT)) return [];
    const pid = Number(name.slice(LOOP_TURNS_ATTACHMENT.length));
    const bytes = stored.read(name, MOST_TURN_BYTES);
    return bytes === null || !Number.isSafeInteger(pid) ? [] : [{ pid, bytes }];
  });
}

/**
 * The turns of event loops; null where they have none. The processes' bytes are streams of `code-record.ts`, in frames of
 * `code-events.ts`.
 */
export function decodeLoopTurns(
  processes: readonly LoopStreams[],
  startTime: RawTime,
  threads: readonly ProfileThread[],
  diagnostics: Diagnostics,
): TurnTable | null {
  const builder = new TurnTableBuilder();
  eachLoop(processes, startTime, threads, diagnostics, {
    begin: (loop) => builder.beginLoop(loop),
    take: (view, record, origin) => builder.take(view, record, origin),
  });
  return builder.finish();
}

/** A visitor of the records of loops, one loop behind the other. */
type LoopVisitor = {
  begin(loop: TurnLoop): void;
  /** Times begin at `origin`. */
  take(view: DataView, record: CodeRecord, origin: RawTime): void;
};

/** Visits the loops of the processes, and counts damaged ones. */
export function eachLoop(
  processes: readonly LoopStreams[],
  startTime: RawTime,
  threads: readonly ProfileThread[],
  diagnostics: Diagnostics,
  visitor: LoopVisitor,
): void {
  let loops = 0;
  const record = new CodeRecord();
  // The thread in the program that a process ran last has the loop: the shell before it has none.
  const threadOf = new Map(
    processes.length === 0 ? [] : threads.map(({ pid, tid }, row) => [`${pid} ${tid}`, row]),
  );
  for (const { pid, bytes } of processes) {
    const loopOf = (ownPid: number, ownTid: number): TurnLoop => {
      // The main thread has the number of its process, in whatever namespace that is counted.
      const tid = ownTid === ownPid ? pid : ownTid;
      return { thread: threadOf.get(`${pid} ${tid}`) ?? NONE, pid, tid, source: 'library' };
    };
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const isWhole = eachStream(bytes, startTime, (first, end, origin) => {
      if (end - first < STREAM_HEADER_BYTES || !isStreamAt(bytes, first)) return false;
      if (loops++ === MOST_LOOPS) return false;
      visitor.begin(loopOf(view.getUint32(first + 8, true), view.getUint32(first + 12, true)));
      for (let at = first + STREAM_HEADER_BYTES; ; at = record.end) {
        const state = record.read(view, at, end);
        if (state !== 'whole') return state === 'cut';
        visitor.take(view, record, origin);
      }
    });
    if (!isWhole) diagnostics.count('code-events-damaged');
  }
}

class TurnTableBuilder {
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

  beginLoop(loop: TurnLoop): void {
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
