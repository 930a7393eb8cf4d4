// Hot: once per record, of which a long-lived program makes hundreds of thousands.

import { type RawTime, readAddress, readTimeSince, readU64 } from '../../base/u64.ts';

/**
 * A stream of V8's code event handler in one isolate, as `native/core/code_events/stream.h` writes it,
 * little-endian:
 *
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
 *     CALLER      u64 bytecode, addresses[4]     of the interpreted function that waited for the code added last
 *     TURN, SHORT_TURNS       of the event loop, see `read/jit/loop-turns.ts`
 *     MARK, MARK_END          spans of time with names, see `read/jit/marks.ts`
 *     CONTEXTS                contexts of samples, see `read/jit/contexts.ts`
 *     ARM         u32 tid, on      the thread handles signals of its samples, or no more
 *     WORK        u64 address; u32 number; u16 kind, offset; …   for libuv's pool, see `read/jit/pool-work.ts`
 *     WORK_STACK  u32 number, count; u64 addresses[]             the callers of what made it
 *     ASYNC_STACK u32 number, size; u64 length; char json[]      functions that await one, see `read/jit/async-stacks.ts`
 *     ANSWER      to the recorder's question, which is `code_type`: all that came before it has been sent
 *     VERSION     u32 script, version  written by the recorder: a script of a path that others had before, see `map-notes.ts`, `held-maps.ts`
 */
export const STREAM_HEADER_BYTES = 32;
export const RECORD_BYTES = 16;
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
  TURN: 11,
  SHORT_TURNS: 12,
  MARK: 13,
  MARK_END: 14,
  CALLER: 15,
  VERSION: 16,
  CONTEXTS: 17,
  ARM: 18,
  WORK: 19,
  ASYNC_STACK: 20,
  ANSWER: 21,
  WORK_STACK: 22,
} as const;
const BYTE_CODE = 0;
/** Bytes before the name, entries, ends or URL, by type. */
const FIXED_BYTES = [
  0, 24, 24, 16, 0, 0, 8, 0, 24, 16, 8, 40, 360, 16, 16, 40, 8, 8, 8, 16, 16, 0, 8,
];
/** The sender cuts names at that (`native/core/code_events`): who sends a longer one is no sender of ours. */
export const MOST_NAME_BYTES = 64 << 10;
/** ADDED with the longest name, filled up to 8 bytes. */
export const MOST_CODE_RECORD_BYTES = RECORD_BYTES + 24 + MOST_NAME_BYTES + 8;
const MAGIC = 'PTSCODE1';

/** Whether a stream begins at `at`. */
export function isStreamAt(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < MAGIC.length; i++) if (bytes[at + i] !== MAGIC.charCodeAt(i)) return false;
  return true;
}

/** The record that was read last: one object for all of a stream. A field holds only where the type has it. */
export class CodeRecord {
  type = 0;
  /** The code is machine code, not bytecode. */
  isCode = false;
  size = 0;
  /** Places in the view. */
  at = 0;
  end = 0;
  /** Start of the code; of MOVED, the start before. */
  start = 0;
  length = 0;
  /** MOVED: the start from now on. */
  to = 0;
  script = 0;
  flags = 0;
  lost = 0;
  version = 0;
  /** The name, entries, ends or URL: its place in the view, and its bytes. JSON of a NOTE is from there to `end`. */
  textAt = 0;
  textSize = 0;

  /** Reads the record at `at` of a stream that ends at `end`; cut: its bytes are not all there. */
  read(view: DataView, at: number, end: number): 'whole' | 'cut' | 'damaged' {
    if (at + RECORD_BYTES > end) return 'cut';
    if (!this.readHead(view, at)) return 'damaged';
    if (this.end > end) return 'cut';
    return this.readBody(view) ? 'whole' : 'damaged';
  }

  /** Reads its first `RECORD_BYTES`; false where its size makes no sense. */
  readHead(view: DataView, at: number): boolean {
    this.at = at;
    this.size = view.getUint32(at, true);
    this.end = at + this.size;
    this.type = view.getUint16(at + 4, true);
    this.isCode = view.getUint16(at + 6, true) !== BYTE_CODE;
    return this.size >= RECORD_BYTES;
  }

  /** Reads the rest, which has to be in the view; false where it is too short for what it says. */
  readBody(view: DataView): boolean {
    const body = this.at + RECORD_BYTES;
    this.textAt = body + (FIXED_BYTES[this.type] ?? 0);
    this.textSize = 0;
    const room = this.end - this.textAt;
    if (room < 0) return false;
    const { type } = this;
    if (type === CODE_EVENT.LOST) this.lost = readU64(view, body, true);
    else if (type === CODE_EVENT.SOURCE_MAP) {
      this.script = view.getUint32(body, true);
      this.textSize = view.getUint32(body + 4, true);
    } else if (type === CODE_EVENT.VERSION) {
      this.script = view.getUint32(body, true);
      this.version = view.getUint32(body + 4, true);
    } else if (type === CODE_EVENT.LINE_ENDS) {
      this.script = view.getUint32(body, true);
      this.textSize = readU64(view, body + 8, true);
    } else if (this.textAt > body && type < CODE_EVENT.TURN) this.#readCode(view, body);
    return this.textSize <= room;
  }

  /** The body of a record that begins with the start of code. */
  #readCode(view: DataView, body: number): void {
    this.start = readAddress(view, body, true);
    if (this.type === CODE_EVENT.ADDED) {
      this.length = readU64(view, body + 8, true);
      this.textSize = readU64(view, body + 16, true);
    } else if (this.type === CODE_EVENT.POSITIONS) {
      this.script = view.getUint32(body + 8, true);
      this.flags = view.getUint32(body + 12, true);
      this.textSize = view.getUint32(body + 20, true);
    } else if (this.type === CODE_EVENT.MOVED) this.to = readAddress(view, body + 16, true);
  }

  /** Its time in nanoseconds since `origin`. */
  timeSince(view: DataView, origin: RawTime): number {
    return readTimeSince(view, this.at + 8, true, origin);
  }
}

/** A record that says of which version of its path a script is. */
export function encodeVersion(script: number, version: number): Uint8Array {
  const record = new DataView(new ArrayBuffer(RECORD_BYTES + 8));
  record.setUint32(0, record.byteLength, true);
  record.setUint16(4, CODE_EVENT.VERSION, true);
  record.setUint32(RECORD_BYTES, script, true);
  record.setUint32(RECORD_BYTES + 4, version, true);
  return new Uint8Array(record.buffer);
}
