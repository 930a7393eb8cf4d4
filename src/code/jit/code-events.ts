// Hot: once per record, of which a long-lived program makes hundreds of thousands.

import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { type RawTime, readAddress, readU64 } from '../../base/u64.ts';
import { CallerLog } from './caller-log.ts';
import {
  CODE_EVENT,
  CodeRecord,
  isStreamAt,
  RECORD_BYTES,
  STREAM_HEADER_BYTES,
} from './code-record.ts';
import type { CodeTable } from './code-table.ts';
import { PositionLog, type VersionName } from './position-log.ts';

/**
 * The streams of one process's isolates (`code-record.ts` has their layout), each in a frame of the recorder:
 *
 *   frame:   u64 size; s64 offset_ns; u8 stream[size]        offset_ns: recording's clock − CLOCK_MONOTONIC
 */
const FRAME_BYTES = 16;
const MOST_ROWS = 5_000_000;
/** Rows that are looked at for the makers of scripts, each of which is looked for among all code. */
const MOST_LOOKED_AT = 200_000_000;
/** The name of what a script without a file does when it is evaluated. */
const EVALUATED = /^Eval:[~^]? :/;
const EVALUATED_BYTES = 32;

export type CodeEventFrame = {
  /** Nanoseconds of the recording's clock at 0 of CLOCK_MONOTONIC. */
  readonly offsetNs: bigint;
  readonly chunks: readonly Uint8Array[];
};

/** The streams of one process's isolates, as a recording keeps them: pieces in order, the chunks themselves among them. */
export function encodeCodeEvents(frames: readonly CodeEventFrame[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (const { offsetNs, chunks } of frames) {
    const head = new Uint8Array(FRAME_BYTES);
    const view = new DataView(head.buffer);
    view.setBigUint64(0, BigInt(chunks.reduce((sum, chunk) => sum + chunk.length, 0)), true);
    view.setBigInt64(8, offsetNs, true);
    pieces.push(head, ...chunks);
  }
  return pieces;
}

/** The machine code and bytecode of a process, and where they come from. */
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
  nameOf: VersionName = (name) => name,
): CodeEvents {
  const reader = new CodeEventReader(bytes, nameOf);
  const isWhole = eachStream(bytes, startTime, (...stream) => reader.read(...stream));
  if (!isWhole) diagnostics.count('code-events-damaged');
  if (reader.lost > 0) diagnostics.count('code-events-lost', '', reader.lost);
  return reader.finish();
}

/**
 * Visits the streams of a process, each by its place and the time on its own clock at which the recording starts. `visit`
 * and the whole are false where bytes are damaged: what comes behind them is left out.
 */
export function eachStream(
  bytes: Uint8Array,
  startTime: RawTime,
  visit: (first: number, end: number, origin: RawTime) => boolean,
): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const startNs = (BigInt(startTime.high) << 32n) | BigInt(startTime.low >>> 0);
  let at = 0;
  while (at + FRAME_BYTES <= bytes.length) {
    const first = at + FRAME_BYTES;
    const end = first + readU64(view, at, true);
    if (!(end <= bytes.length)) return false;
    if (!visit(first, end, rawTimeOf(startNs - view.getBigInt64(at + 8, true)))) return false;
    at = end;
  }
  return at === bytes.length;
}

function rawTimeOf(ns: bigint): RawTime {
  return { high: Number(ns >> 32n), low: Number(ns & 0xffff_ffffn) };
}

class CodeEventReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #record = new CodeRecord();
  readonly #nameOf: VersionName;
  readonly #timeNs = new GrowableFloat64();
  readonly #start = new GrowableFloat64();
  readonly #end = new GrowableFloat64();
  readonly #nameAt = new GrowableInt32();
  readonly #nameSize = new GrowableInt32();
  readonly #positionsOf = new GrowableInt32();
  readonly #isBytecode = new GrowableInt32();
  readonly #callers = new CallerLog();
  readonly #positions: PositionLog;
  #isolates = 0;
  /** Isolate and script -> its version, where its path had other scripts before. */
  readonly #versions = new Map<string, number>();
  /** Row -> version of its script; −1 where it has no positions to tell the script by. */
  readonly #versionOf = new GrowableInt32();
  /** First row of the stream that is read. */
  #first = 0;
  /** The script without a file that was evaluated last; −1 where the code that was added last is other. */
  #evaluated = NONE;
  #lookedAt = 0;
  /** The name of the code that was added last. */
  readonly #name = { at: 0, size: 0 };
  lost = 0;

  constructor(bytes: Uint8Array, nameOf: VersionName) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#nameOf = nameOf;
    this.#positions = new PositionLog(bytes, nameOf);
  }

  /** The stream of one isolate; false if it is damaged. What a killed program left unfinished is not. */
  read(first: number, end: number, origin: RawTime): boolean {
    if (end - first < STREAM_HEADER_BYTES) return end === first;
    if (!isStreamAt(this.#bytes, first)) return false;
    this.#isolates++;
    this.#first = this.#start.length;
    /** Start of code in force -> its row. */
    const rowAt = new Map<number, number>();
    const view = this.#view;
    const record = this.#record;
    for (let at = first + STREAM_HEADER_BYTES; this.#start.length < MOST_ROWS; at = record.end) {
      const state = record.read(view, at, end);
      if (state !== 'whole') return state === 'cut';
      this.#take(record.timeSince(view, origin), rowAt);
    }
    return true;
  }

  /** The record that was read. */
  #take(timeNs: number, rowAt: Map<number, number>): void {
    const { type, start, textAt, textSize } = this.#record;
    if (type === CODE_EVENT.ADDED) {
      this.#name.at = textAt;
      this.#name.size = textSize;
      this.#evaluated = NONE;
      this.#push(timeNs, start, this.#record.length, textAt, textSize, rowAt);
    } else if (type === CODE_EVENT.POSITIONS) this.#place(rowAt);
    else if (type === CODE_EVENT.LINE_ENDS) {
      this.#positions.addLineEnds(this.#isolates, this.#record.script, textAt, textSize);
    } else if (type === CODE_EVENT.MOVED) {
      this.#move(start, this.#record.to, timeNs, rowAt);
    } else if (type === CODE_EVENT.REMOVED) this.#remove(start, timeNs, rowAt);
    else if (type === CODE_EVENT.CALLER) {
      const body = this.#record.at + RECORD_BYTES;
      this.#callers.add(this.#isolates, timeNs, this.#view, body);
      this.#noteMaker(body);
    } else if (type === CODE_EVENT.VERSION) {
      this.#versions.set(`${this.#isolates} ${this.#record.script}`, this.#record.version);
    } else if (type === CODE_EVENT.LOST) this.lost += this.#record.lost;
  }

  /** Positions of the code that was added last. */
  #place(rowAt: Map<number, number>): void {
    const { script, flags, isCode, start, textAt, textSize } = this.#record;
    const version = this.#versionOfScript(script);
    const added = this.#positions.add(
      this.#isolates,
      script,
      flags,
      !isCode,
      { ...this.#name, version },
      textAt,
      textSize,
    );
    if (this.#isEvaluated()) this.#evaluated = script;
    const row = rowAt.get(start);
    if (row === undefined) return;
    this.#positionsOf.array[row] = added;
    this.#versionOf.array[row] = version;
  }

  /** Whether the code that was added last is what a script without a file does when it is evaluated. */
  #isEvaluated(): boolean {
    const { at, size } = this.#name;
    if (size > EVALUATED_BYTES) return false;
    return EVALUATED.test(String.fromCharCode(...this.#bytes.subarray(at, at + size)));
  }

  /**
   * Puts a script down to the function that waited while it was evaluated: the interpreted one of CALLER, or optimized code
   * that it had called and that called V8. Where that had called more of JavaScript, it is not known who waited.
   */
  #noteMaker(body: number): void {
    const script = this.#evaluated;
    this.#evaluated = NONE;
    const innermost = readAddress(this.#view, body + 8, true);
    const inner = readAddress(this.#view, body + 16, true);
    if (script === NONE || this.#rowOf(innermost) !== NONE) return;
    const called = this.#rowOf(inner - 1);
    const bytecode = readAddress(this.#view, body, true);
    const row = called === NONE ? this.#rowOf(bytecode) : called;
    if (row === NONE || this.#positionsOf.array[row] === NONE) return;
    const offset = (called === NONE ? bytecode : inner - 1) - this.#start.array[row];
    this.#positions.addMaker(this.#isolates, script, { row: this.#positionsOf.array[row], offset });
  }

  /** The newest row of the stream whose code has this address; −1 where none has, or too many were looked at. */
  #rowOf(address: number): number {
    const starts = this.#start.array;
    const ends = this.#end.array;
    for (let row = this.#start.length - 1; row >= this.#first; row--) {
      if (this.#lookedAt++ >= MOST_LOOKED_AT) return NONE;
      if (address < starts[row] || address >= ends[row]) continue;
      return this.#nameSize.array[row] > 0 ? row : NONE;
    }
    return NONE;
  }

  #versionOfScript(script: number): number {
    return this.#versions.size === 0 ? 0 : (this.#versions.get(`${this.#isolates} ${script}`) ?? 0);
  }

  #move(from: number, to: number, timeNs: number, rowAt: Map<number, number>): void {
    const row = rowAt.get(from);
    if (row === undefined) return;
    const length = this.#end.array[row] - this.#start.array[row];
    rowAt.delete(from);
    this.#push(timeNs, to, length, this.#nameAt.array[row], this.#nameSize.array[row], rowAt);
    const moved = rowAt.get(to);
    if (moved === undefined) return;
    this.#positionsOf.array[moved] = this.#positionsOf.array[row];
    this.#versionOf.array[moved] = this.#versionOf.array[row];
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
    this.#versionOf.push(NONE);
    this.#isBytecode.push(this.#record.isCode ? 0 : 1);
  }

  finish(): CodeEvents {
    const order = ascending(this.#timeNs.array, this.#start.length);
    const nameAt = inOrder(this.#nameAt.finish(), order, new Int32Array(order.length));
    const nameSize = inOrder(this.#nameSize.finish(), order, new Int32Array(order.length));
    const isBytecode = inOrder(this.#isBytecode.finish(), order, new Int32Array(order.length));
    const version = inOrder(this.#versionOf.finish(), order, new Int32Array(order.length));
    const decoder = new TextDecoder();
    const bytes = this.#bytes;
    const nameOf = this.#nameOf;
    const written = (row: number) =>
      decoder.decode(bytes.subarray(nameAt[row], nameAt[row] + nameSize[row]));
    if (this.#versions.size > 0) versionsByName(version, written);
    const table: CodeTable = {
      length: order.length,
      timeNs: inOrder(this.#timeNs.finish(), order, new Float64Array(order.length)),
      start: inOrder(this.#start.finish(), order, new Float64Array(order.length)),
      end: inOrder(this.#end.finish(), order, new Float64Array(order.length)),
      restarts: [],
      isBytecode: (row) => isBytecode[row] === 1,
      ...(this.#callers.length > 0 && { callers: this.#callers }),
      name: (row) => nameOf(written(row), version[row]),
      hasSameName: (a, b) =>
        Math.max(0, version[a]) === Math.max(0, version[b]) &&
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

/** Code without positions is of the version that code of its name, which is most likely its bytecode, had last. */
function versionsByName(version: Int32Array, name: (row: number) => string): void {
  const last = new Map<string, number>();
  for (let row = 0; row < version.length; row++) {
    const text = name(row);
    if (version[row] === NONE) version[row] = last.get(text) ?? NONE;
    else last.set(text, version[row]);
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
