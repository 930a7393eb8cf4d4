// Hot: once per record, of which a long-lived program makes hundreds of thousands.

import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { type RawTime, readAddress, readTimeSince, readU64 } from '../../base/u64.ts';
import type { CodeTable } from './code-table.ts';
import { PositionLog } from './position-log.ts';

/**
 * The events of V8's code event handler in the isolates of one process, as `native/core/code_events/stream.h`
 * writes it, little-endian. The recorder puts a frame around each isolate's stream:
 *
 *   frame:   u64 size; s64 offset_ns; u8 stream[size]        offset_ns: recording's clock − CLOCK_MONOTONIC
 *   stream:  char magic[8]; u32 pid, tid; u64 time_ns, flags; records
 *   record:  u32 size; u16 type, code_type; u64 time_ns; …
 *     ADDED       u64 start, length, name_length; char name[]
 *     MOVED       u64 from, length, to
 *     REMOVED     u64 start, length
 *     ENUMERATED  all code that existed when the handler was set has been added
 *     LOST        u64 records
 *     NOTE        char json[]          a note of `read/jit/node-notes.ts`, filled up with newlines
 *     POSITIONS   u64 start; u32 script, flags, count, size; u8 entries[]      of the code added last
 *     LINE_ENDS   u32 script, count; u64 size; u8 ends[]
 *     SOURCE_MAP  u32 script, size; char url[]       of the script of the code added last
 */
const FRAME_BYTES = 16;
export const STREAM_HEADER_BYTES = 32;
export const RECORD_BYTES = 16;
export const MAGIC = 'PTSCODE1';
export const CODE_EVENT = {
  ADDED: 1,
  MOVED: 2,
  REMOVED: 3,
  ENUMERATED: 5,
  LOST: 6,
  NOTE: 7,
  POSITIONS: 8,
  LINE_ENDS: 9,
  SOURCE_MAP: 10,
} as const;
export const BYTE_CODE = 0;
/** The sender cuts names at that (`native/core/code_events`): who sends a longer one is no sender of ours. */
export const MOST_NAME_BYTES = 64 << 10;
const MOST_ROWS = 5_000_000;

export type CodeEventFrame = {
  /** Nanoseconds of the recording's clock at 0 of CLOCK_MONOTONIC. */
  readonly offsetNs: bigint;
  readonly chunks: readonly Uint8Array[];
};

/** The streams of one process's isolates, as a recording keeps them. */
export function encodeCodeEvents(frames: readonly CodeEventFrame[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { offsetNs, chunks } of frames) {
    const head = new Uint8Array(FRAME_BYTES);
    const view = new DataView(head.buffer);
    view.setBigUint64(0, BigInt(chunks.reduce((sum, chunk) => sum + chunk.length, 0)), true);
    view.setBigInt64(8, offsetNs, true);
    parts.push(head, ...chunks);
  }
  return Buffer.concat(parts);
}

/** The stream of one isolate, taken apart when its recording ends. */
export type EndedStream = {
  /** The stream without what is kept in other forms. */
  readonly code: Uint8Array;
  /** Notes, a line of JSON each. */
  readonly notes: Uint8Array;
  /** Source maps that are written inside scripts. */
  readonly maps: readonly {
    /** Name of some code of the script, as V8 spells it. */
    readonly name: Uint8Array;
    /** `data:…` */
    readonly url: Uint8Array;
  }[];
};

/** Keeps the place of the name of each source map: never more than the stream. */
export function splitStream(chunks: readonly Uint8Array[]): EndedStream {
  const bytes = Buffer.concat(chunks);
  const kept: Uint8Array[] = [];
  const notes: Uint8Array[] = [];
  const maps: { name: Uint8Array; url: Uint8Array }[] = [];
  let nameAt = 0;
  let nameEnd = 0;
  let keptTo = 0;
  for (let at = STREAM_HEADER_BYTES; at + RECORD_BYTES <= bytes.length; ) {
    const size = bytes.readUInt32LE(at);
    const end = at + size;
    if (size < RECORD_BYTES || end > bytes.length) break;
    const type = bytes.readUInt16LE(at + 4);
    const body = at + RECORD_BYTES;
    if (type === CODE_EVENT.NOTE) notes.push(bytes.subarray(body, end));
    if (type === CODE_EVENT.ADDED && size >= RECORD_BYTES + 24) {
      nameAt = body + 24;
      const nameSize = bytes.readUInt32LE(body + 16);
      nameEnd = nameSize > MOST_NAME_BYTES ? nameAt : Math.min(end, nameAt + nameSize);
    }
    if (type === CODE_EVENT.SOURCE_MAP && size >= RECORD_BYTES + 8) {
      const urlEnd = Math.min(end, body + 8 + bytes.readUInt32LE(body + 4));
      maps.push({
        name: bytes.subarray(nameAt, nameEnd),
        url: bytes.subarray(body + 8, urlEnd),
      });
      kept.push(bytes.subarray(keptTo, at));
      keptTo = end;
    }
    at = end;
  }
  kept.push(bytes.subarray(keptTo));
  const isWhole = kept.length === 1;
  return { code: isWhole ? bytes : Buffer.concat(kept), notes: Buffer.concat(notes), maps };
}

/** The machine code of a process, and where it comes from. */
export type CodeEvents = {
  readonly table: CodeTable;
  readonly positions: PositionLog;
  /** Row of the table -> row of `positions`, −1 without. */
  readonly positionsOf: Int32Array;
};

/** The machine code of a process, isolates together; what is damaged is counted and left out. */
export function readCodeEvents(
  bytes: Uint8Array,
  startTime: RawTime,
  diagnostics: Diagnostics,
): CodeEvents {
  const reader = new CodeEventReader(bytes);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const startNs = (BigInt(startTime.high) << 32n) | BigInt(startTime.low >>> 0);
  let isDamaged = false;
  let at = 0;
  for (; at + FRAME_BYTES <= bytes.length && !isDamaged; ) {
    const size = readU64(view, at, true);
    const end = at + FRAME_BYTES + size;
    if (!(end <= bytes.length)) break;
    const origin = rawTimeOf(startNs - view.getBigInt64(at + 8, true));
    isDamaged = !reader.read(at + FRAME_BYTES, end, origin);
    at = end;
  }
  if (isDamaged || at !== bytes.length) diagnostics.count('code-events-damaged');
  if (reader.lost > 0) diagnostics.count('code-events-lost', '', reader.lost);
  return reader.finish();
}

function rawTimeOf(ns: bigint): RawTime {
  return { high: Number(ns >> 32n), low: Number(ns & 0xffff_ffffn) };
}

class CodeEventReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #timeNs = new GrowableFloat64();
  readonly #start = new GrowableFloat64();
  readonly #end = new GrowableFloat64();
  readonly #nameAt = new GrowableInt32();
  readonly #nameSize = new GrowableInt32();
  readonly #positionsOf = new GrowableInt32();
  readonly #positions: PositionLog;
  #isolates = 0;
  /** The name of the code that was added last. */
  #name = { at: 0, size: 0 };
  lost = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#positions = new PositionLog(bytes);
  }

  /** The stream of one isolate; false if it is damaged. What a killed program left unfinished is not. */
  read(first: number, end: number, origin: RawTime): boolean {
    const view = this.#view;
    if (end - first < STREAM_HEADER_BYTES) return end === first;
    for (let i = 0; i < MAGIC.length; i++) {
      if (this.#bytes[first + i] !== MAGIC.charCodeAt(i)) return false;
    }
    this.#isolates++;
    /** Start of code in force -> its row. */
    const rowAt = new Map<number, number>();
    let at = first + STREAM_HEADER_BYTES;
    while (at + RECORD_BYTES <= end && this.#start.length < MOST_ROWS) {
      const size = view.getUint32(at, true);
      if (size < RECORD_BYTES) return false;
      if (at + size > end) break;
      const isCode = view.getUint16(at + 6, true) !== BYTE_CODE;
      const type = view.getUint16(at + 4, true);
      const timeNs = readTimeSince(view, at + 8, true, origin);
      const body = at + RECORD_BYTES;
      if (type === CODE_EVENT.ADDED) {
        if (!this.#add(body, size - RECORD_BYTES, timeNs, isCode ? rowAt : null)) return false;
      } else if (type === CODE_EVENT.POSITIONS || type === CODE_EVENT.LINE_ENDS) {
        if (!this.#place(type, body, size - RECORD_BYTES, isCode ? rowAt : null)) return false;
      } else if (type === CODE_EVENT.MOVED && isCode) {
        if (size < RECORD_BYTES + 24) return false;
        this.#move(body, timeNs, rowAt);
      } else if (type === CODE_EVENT.REMOVED && isCode) {
        if (size < RECORD_BYTES + 16) return false;
        this.#remove(readAddress(view, body, true), timeNs, rowAt);
      } else if (type === CODE_EVENT.LOST && size >= RECORD_BYTES + 8) {
        this.lost += readU64(view, body, true);
      }
      at += size;
    }
    return true;
  }

  /** `rowAt` null: bytecode, which has a name alone. */
  #add(body: number, size: number, timeNs: number, rowAt: Map<number, number> | null): boolean {
    if (size < 24) return false;
    const start = readAddress(this.#view, body, true);
    const length = readU64(this.#view, body + 8, true);
    const nameSize = readU64(this.#view, body + 16, true);
    if (nameSize > size - 24) return false;
    this.#name = { at: body + 24, size: nameSize };
    if (rowAt !== null) this.#push(timeNs, start, length, body + 24, nameSize, rowAt);
    return true;
  }

  /** Positions of code, or the lines of a script; false if the record is too short. */
  #place(type: number, body: number, size: number, rowAt: Map<number, number> | null): boolean {
    const view = this.#view;
    const isolate = this.#isolates;
    if (type === CODE_EVENT.LINE_ENDS) {
      const bytes = size < 16 ? Number.NaN : readU64(view, body + 8, true);
      if (!(bytes <= size - 16)) return false;
      this.#positions.addLineEnds(isolate, view.getUint32(body, true), body + 16, bytes);
      return true;
    }
    const bytes = size < 24 ? Number.NaN : view.getUint32(body + 20, true);
    if (!(bytes <= size - 24)) return false;
    const script = view.getUint32(body + 8, true);
    const flags = view.getUint32(body + 12, true);
    const isBytecode = rowAt === null;
    const name = this.#name;
    const positions = this.#positions;
    const added = positions.add(isolate, script, flags, isBytecode, name, body + 24, bytes);
    const row = rowAt?.get(readAddress(view, body, true));
    if (row !== undefined) this.#positionsOf.array[row] = added;
    return true;
  }

  #move(body: number, timeNs: number, rowAt: Map<number, number>): void {
    const from = readAddress(this.#view, body, true);
    const to = readAddress(this.#view, body + 16, true);
    const row = rowAt.get(from);
    if (row === undefined) return;
    const length = this.#end.array[row] - this.#start.array[row];
    rowAt.delete(from);
    this.#push(timeNs, to, length, this.#nameAt.array[row], this.#nameSize.array[row], rowAt);
    const moved = rowAt.get(to);
    if (moved !== undefined) this.#positionsOf.array[moved] = this.#positionsOf.array[row];
  }

  /** A row without a name: what is sampled there until there is other code is nobody's. */
  #remove(start: number, timeNs: number, rowAt: Map<number, number>): void {
    const row = rowAt.get(start);
    if (row === undefined) return;
    const length = this.#end.array[row] - start;
    this.#push(timeNs, start, length, 0, 0, rowAt);
    rowAt.delete(start);
  }

  #push(
    timeNs: number,
    start: number,
    length: number,
    nameAt: number,
    nameSize: number,
    rowAt: Map<number, number>,
  ): void {
    // Code lies in user space and has bytes.
    if (start < 0 || !(length > 0) || !Number.isSafeInteger(start + length)) return;
    rowAt.set(start, this.#start.length);
    this.#timeNs.push(timeNs);
    this.#start.push(start);
    this.#end.push(start + length);
    this.#nameAt.push(nameAt);
    this.#nameSize.push(nameSize);
    this.#positionsOf.push(NONE);
  }

  finish(): CodeEvents {
    const order = ascending(this.#timeNs.array, this.#start.length);
    const nameAt = inOrder(this.#nameAt.finish(), order, new Int32Array(order.length));
    const nameSize = inOrder(this.#nameSize.finish(), order, new Int32Array(order.length));
    const decoder = new TextDecoder();
    const bytes = this.#bytes;
    const table: CodeTable = {
      length: order.length,
      timeNs: inOrder(this.#timeNs.finish(), order, new Float64Array(order.length)),
      start: inOrder(this.#start.finish(), order, new Float64Array(order.length)),
      end: inOrder(this.#end.finish(), order, new Float64Array(order.length)),
      restarts: [],
      name: (row) => decoder.decode(bytes.subarray(nameAt[row], nameAt[row] + nameSize[row])),
      hasSameName: (a, b) =>
        nameSize[a] === nameSize[b] &&
        Buffer.compare(
          bytes.subarray(nameAt[a], nameAt[a] + nameSize[a]),
          bytes.subarray(nameAt[b], nameAt[b] + nameSize[b]),
        ) === 0,
    };
    const positionsOf = inOrder(this.#positionsOf.finish(), order, new Int32Array(order.length));
    return { table, positions: this.#positions, positionsOf };
  }
}

/** Rows by time; threads of one isolate and other isolates write into streams of their own. */
function ascending(timeNs: Float64Array, length: number): Int32Array {
  const order = Int32Array.from({ length }, (_, row) => row);
  let isAscending = true;
  for (let row = 1; row < length; row++) isAscending &&= timeNs[row] >= timeNs[row - 1];
  return isAscending ? order : order.sort((a, b) => timeNs[a] - timeNs[b] || a - b);
}

function inOrder<Column extends Float64Array | Int32Array>(
  column: Column,
  order: Int32Array,
  out: Column,
): Column {
  for (let row = 0; row < order.length; row++) out[row] = column[order[row]];
  return out;
}
