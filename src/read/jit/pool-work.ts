import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { type RawTime, readAddress, readTimeSince, readU64, toRawTime } from '../../base/u64.ts';
import { CODE_EVENT, type CodeRecord, RECORD_BYTES } from '../../code/jit/code-record.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import type { MarkTable } from '../../profile/mark-table.ts';
import type { TurnLoop } from '../../profile/turn-table.ts';
import { NO_NUMBER } from './contexts.ts';
import type { LoopVisitor } from './loop-visitor.ts';

/** A number in place of a request's: the work has ended; without an address, nothing is known of any from then on. */
const WORK_END = NO_NUMBER - 1;
/** The offset of the kind is known now. */
const WORK_FOUND = NO_NUMBER - 2;
const KINDS = 32;
/** Bytes from libuv's work to its entry in a queue, whose address the loop of a thread of the pool keeps (`struct uv__work`). */
const QUEUE_ENTRY = 24;
const HEAD_BYTES = 8;
const SAMPLE_BYTES = 24;
/** pid, tid, row. */
const IDS = 3;
const ROW_AT = 16;

/** The bytes of a WORK from recorders that do not note who asked. */
const SHORT_WORK_BYTES = RECORD_BYTES + 16;

/** The calls in which work was asked for: return addresses of a process as of a time, the innermost first. */
export type AskedIn = {
  readonly pid: number;
  readonly timeNs: number;
  readonly addresses: Float64Array;
};

/**
 * The work that programs gave to libuv's pool, in the streams that have marks as well. A row is a record.
 *
 *     WORK        u64 address; u32 number; u16 kind, offset; u64 asker; u32 stack, 0     of a request, or an end
 *     WORK_STACK  u32 number, count; u64 addresses[]
 *
 * Libuv's part of it is `offset` bytes behind the address, for all of a kind: known when the first has ended.
 * `asker`: the address of the work in whose callback it was asked for.
 */
export class WorkLog implements LoopVisitor {
  readonly #timeNs = new GrowableFloat64(256);
  readonly #address = new GrowableFloat64(256);
  readonly #number = new GrowableFloat64(256);
  /** Index of `#offsets`. */
  readonly #kind = new GrowableInt32(256);
  readonly #offsets: number[] = [];
  /** Number of the stack in its loop, 0: not known; row of the work whose callback asked, −1: none. */
  readonly #stack = new GrowableInt32(256);
  readonly #asker = new GrowableInt32(256);
  /** Stacks by loop. */
  readonly #stacks: Map<number, Float64Array>[] = [];
  /** Rows of the loop's work that has not ended, by address. */
  #open = new Map<number, number>();
  readonly #loops: { readonly loop: TurnLoop; readonly firstRow: number }[] = [];

  begin(loop: TurnLoop): void {
    this.#loops.push({ loop, firstRow: this.length });
    this.#stacks.push(new Map());
    this.#open = new Map();
    for (let kind = 0; kind < KINDS; kind++) this.#offsets.push(0);
  }

  take(view: DataView, record: CodeRecord, origin: RawTime): void {
    const { type, at, size } = record;
    if (type === CODE_EVENT.WORK_STACK) this.#takeStack(view, record);
    if (type !== CODE_EVENT.WORK) return;
    const body = at + RECORD_BYTES;
    const address = readU64(view, body, true);
    const isLong = size > SHORT_WORK_BYTES;
    const asker = isLong ? this.#open.get(readU64(view, body + 16, true)) : undefined;
    this.#asker.push(asker ?? NONE);
    this.#stack.push(isLong ? view.getUint32(body + 24, true) : 0);
    const number = view.getUint32(body + 8, true);
    if (number === WORK_END) this.#open.delete(address);
    else if (number !== WORK_FOUND) this.#open.set(address, this.length);
    const kind = (this.#loops.length - 1) * KINDS + (view.getUint16(body + 12, true) % KINDS);
    this.#offsets[kind] ||= view.getUint16(body + 14, true);
    this.#timeNs.push(readTimeSince(view, at + 8, true, origin));
    this.#address.push(address);
    this.#number.push(number);
    this.#kind.push(kind);
  }

  #takeStack(view: DataView, { at, end }: CodeRecord): void {
    const first = at + RECORD_BYTES + 8;
    const room = Math.floor((end - first) / 8);
    const length = Math.min(view.getUint32(at + RECORD_BYTES + 4, true), room);
    const addresses = Float64Array.from({ length }, (_, i) =>
      readAddress(view, first + 8 * i, true),
    );
    this.#stacks.at(-1)?.set(view.getUint32(at + RECORD_BYTES, true), addresses);
  }

  /** Returns where a row's work was asked for; null: not known. */
  askedIn(row: number): AskedIn | null {
    if (row < 0 || row >= this.length) return null;
    const at = Math.floor(this.#kind.array[row] / KINDS);
    const addresses = this.#stacks[at]?.get(this.#stack.array[row]);
    const timeNs = this.#timeNs.array[row];
    return addresses ? { pid: this.#loops[at].loop.pid, timeNs, addresses } : null;
  }

  /** The row of the work in whose callback a row's was asked for; −1: it was in none. */
  askerOf(row: number): number {
    return row < 0 || row >= this.length ? NONE : this.#asker.array[row];
  }

  /** The work of each process, by pid. */
  processes(): Map<number, ProcessWork> {
    const rowsOf = new Map<number, { readonly loops: Set<number>; readonly rows: number[] }>();
    this.#loops.forEach(({ loop, firstRow }, i) => {
      const own = getOrMake(rowsOf, loop.pid, () => ({ loops: new Set<number>(), rows: [] }));
      own.loops.add(loop.tid);
      const end = this.#loops[i + 1]?.firstRow ?? this.length;
      for (let row = firstRow; row < end; row++) {
        if (this.#number.array[row] !== WORK_FOUND) own.rows.push(row);
      }
    });
    return new Map(
      [...rowsOf].map(([pid, { loops, rows }]) => [pid, new ProcessWork(this, loops, rows)]),
    );
  }

  get length(): number {
    return this.#timeNs.length;
  }

  /** The times of the rows, with room for more behind. */
  timesNs(): Float64Array {
    return this.#timeNs.array;
  }

  isEnd(row: number): boolean {
    return this.#number.array[row] === WORK_END;
  }

  /** The address of libuv's part; 0: not known. */
  addressOf(row: number): number {
    const offset = this.#offsets[this.#kind.array[row]];
    return offset === 0 ? 0 : this.#address.array[row] + offset;
  }

  /** Whether from here on nothing is known of any work. */
  isLast(row: number): boolean {
    return this.isEnd(row) && this.#address.array[row] === 0;
  }
}

/** A sample with a copy of its stack. */
type StackCopy = Pick<
  SampleView,
  'pid' | 'tid' | 'timeNs' | 'view' | 'stackOffset' | 'stackDynamicSize'
>;

/** The work of one process, as time goes on. */
class ProcessWork {
  readonly #log: WorkLog;
  /** Threads with an event loop, whose stacks may have the addresses as well. */
  readonly #loops: ReadonlySet<number>;
  /** Rows of the log in the order of their times. */
  readonly #rows: Int32Array;
  #next = 0;
  /** Rows of work that has not ended, by the addresses that a thread of the pool may keep of it. */
  readonly #open = new Map<number, number>();
  #least = Number.POSITIVE_INFINITY;
  #most = 0;

  constructor(log: WorkLog, loops: ReadonlySet<number>, rows: readonly number[]) {
    this.#log = log;
    this.#loops = loops;
    const array = log.timesNs();
    this.#rows = Int32Array.from(rows).sort((a, b) => array[a] - array[b]);
  }

  /** Times only grow. */
  moveTo(timeNs: number): void {
    const array = this.#log.timesNs();
    for (; this.#next < this.#rows.length; this.#next++) {
      const row = this.#rows[this.#next];
      if (array[row] > timeNs) return;
      this.#take(row);
    }
  }

  #take(row: number): void {
    const address = this.#log.addressOf(row);
    if (this.#log.isLast(row)) this.#open.clear();
    if (address === 0) return;
    this.#least = Math.min(this.#least, address);
    this.#most = Math.max(this.#most, address + QUEUE_ENTRY);
    for (const kept of [address, address + QUEUE_ENTRY]) {
      if (this.#log.isEnd(row)) this.#open.delete(kept);
      else this.#open.set(kept, row);
    }
  }

  /**
   * The row of the work that a thread of the pool does whose stack is copied: its loop keeps the address of the work's entry in a
   * register, which a function that it calls has to save, so that it is outermost. Further in may be addresses of earlier work. −1: none.
   */
  find({ tid, view, stackOffset, stackDynamicSize }: StackCopy): number {
    if (this.#open.size === 0 || this.#loops.has(tid)) return NONE;
    for (let at = stackOffset + stackDynamicSize - 8; at >= stackOffset; at -= 8) {
      const word = readU64(view, at, true);
      if (word < this.#least || word > this.#most) continue;
      const row = this.#open.get(word);
      if (row !== undefined) return row;
    }
    return NONE;
  }
}

/**
 * Finds the work that samples of libuv's pool were taken in, by their copies of the stack, and keeps it when these go:
 *
 *     u64 origin; { f64 timeNs; u32 pid, tid, row, 0 }[]      attachment `pool-work`, little-endian
 */
export class PoolSamples {
  readonly #startTime: RawTime;
  readonly #processes: Map<number, ProcessWork>;
  readonly #timeNs = new GrowableFloat64(256);
  readonly #ids = new GrowableInt32(256);

  constructor(startTime: RawTime, log: WorkLog) {
    this.#startTime = startTime;
    this.#processes = log.processes();
  }

  /** Samples come in the order of their times. */
  note(sample: StackCopy): void {
    const { pid, tid, timeNs } = sample;
    const work = this.#processes.get(pid);
    if (work === undefined) return;
    work.moveTo(timeNs);
    const row = work.find(sample);
    if (row === NONE) return;
    this.#timeNs.push(timeNs);
    for (const id of [pid, tid, row]) this.#ids.push(id);
  }

  /** The bytes of the attachment; null: there are none. */
  encode(): Uint8Array | null {
    const { length } = this.#timeNs;
    if (length === 0) return null;
    const bytes = new DataView(new ArrayBuffer(HEAD_BYTES + length * SAMPLE_BYTES));
    bytes.setBigUint64(0, toRawTime(this.#startTime, 0), true);
    for (let i = 0, at = HEAD_BYTES; i < length; i++, at += SAMPLE_BYTES) {
      bytes.setFloat64(at, this.#timeNs.array[i], true);
      for (let id = 0; id < IDS; id++) {
        bytes.setInt32(at + 8 + 4 * id, this.#ids.array[IDS * i + id], true);
      }
    }
    return new Uint8Array(bytes.buffer);
  }
}

/** The row of the `WorkLog` of each sample that an attachment has. */
export function workInSamples(bytes: Uint8Array): Int32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Math.max(0, Math.floor((bytes.length - HEAD_BYTES) / SAMPLE_BYTES));
  return Int32Array.from({ length }, (_, i) =>
    view.getInt32(HEAD_BYTES + i * SAMPLE_BYTES + ROW_AT, true),
  );
}

/**
 * The requests of samples of libuv's pool, as an attachment has them. `requestOf`: of a row of the `WorkLog`; `loopOf`: adds the thread to those that
 * the table's rows are of.
 */
export function decodePoolSamples(
  bytes: Uint8Array,
  startTime: RawTime,
  requestOf: (row: number) => number,
  loopOf: (pid: number, tid: number) => number,
): NonNullable<MarkTable['pool']> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = Math.max(0, Math.floor((bytes.length - HEAD_BYTES) / SAMPLE_BYTES));
  const sinceNs = length === 0 ? 0 : readTimeSince(view, 0, true, startTime);
  const placeOf = (row: number) => HEAD_BYTES + row * SAMPLE_BYTES;
  const id = (row: number, which: number) => view.getInt32(placeOf(row) + 8 + 4 * which, true);
  const work = workInSamples(bytes);
  const rows = { length };
  return {
    length,
    loop: Int32Array.from(rows, (_, row) => loopOf(id(row, 0), id(row, 1))),
    timeNs: Float64Array.from(rows, (_, row) => sinceNs + view.getFloat64(placeOf(row), true)),
    request: Int32Array.from(rows, (_, row) => requestOf(work[row])),
  };
}
