// Hot: once per record, of which a program that warms up makes tens of thousands.

import { lastAtMost } from '../../base/bisect.ts';
import { joinBytes } from '../../base/join-bytes.ts';
import { readAddress, readU64 } from '../../base/u64.ts';
import { BYTE_CODE, CODE_EVENT, MAGIC, RECORD_BYTES, STREAM_HEADER_BYTES } from './code-events.ts';

/** Beyond it the oldest code is forgotten; a large server has a tenth. */
const MOST_CODE = 200_000;
/** A record is a name and a few numbers; notes are larger. */
const MOST_RECORD_BYTES = 32 << 20;

/** A piece of code that has a name. */
export type NamedCode = { readonly start: number; readonly end: number; readonly name: string };

/**
 * The machine code of a process as it is now, from the streams that its isolates send
 * (`code-events.ts` has their layout). Code at an address takes the place of what was there before.
 */
export class LiveCode {
  /** Code by its start, in the order in which it came. */
  readonly #at = new Map<number, NamedCode>();
  #starts: Float64Array | null = null;
  /** Goes up with each change. */
  version = 0;

  /** Takes the bytes of one isolate as they come; false when they make no sense: the stream is to be left. */
  stream(): (bytes: Uint8Array) => boolean {
    let rest: Uint8Array = new Uint8Array(0);
    let hasHeader = false;
    return (bytes) => {
      const all = rest.length === 0 ? bytes : joinBytes(rest, bytes);
      let at = 0;
      if (!hasHeader) {
        if (all.length < STREAM_HEADER_BYTES) {
          rest = new Uint8Array(all);
          return true;
        }
        for (let i = 0; i < MAGIC.length; i++) if (all[i] !== MAGIC.charCodeAt(i)) return false;
        hasHeader = true;
        at = STREAM_HEADER_BYTES;
      }
      const end = this.#readAll(all, at);
      // A copy: the rest must not keep the chunk that it came in.
      rest = new Uint8Array(all.subarray(Math.max(0, end)));
      return end >= 0;
    };
  }

  /** The code at an address; null where none is known. */
  find(address: number): NamedCode | null {
    this.#starts ??= Float64Array.from(this.#at.keys()).sort();
    const row = lastAtMost(this.#starts, address);
    const found = row < 0 ? undefined : this.#at.get(this.#starts[row]);
    return found !== undefined && address < found.end ? found : null;
  }

  /** The offset of the first record that is not whole; −1 where one is none. */
  #readAll(bytes: Uint8Array, from: number): number {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let at = from;
    while (at + RECORD_BYTES <= bytes.length) {
      const size = view.getUint32(at, true);
      if (size < RECORD_BYTES || size > MOST_RECORD_BYTES) return -1;
      if (at + size > bytes.length) break;
      if (view.getUint16(at + 6, true) !== BYTE_CODE) {
        const type = view.getUint16(at + 4, true);
        if (!this.#read(type, bytes, view, at + RECORD_BYTES, at + size)) return -1;
      }
      at += size;
    }
    return at;
  }

  #read(type: number, bytes: Uint8Array, view: DataView, body: number, end: number): boolean {
    switch (type) {
      case CODE_EVENT.ADDED: {
        if (end - body < 24) return false;
        const nameSize = readU64(view, body + 16, true);
        if (!(nameSize <= end - body - 24)) return false;
        const name = UTF8.decode(bytes.subarray(body + 24, body + 24 + nameSize));
        this.#add(readAddress(view, body, true), readU64(view, body + 8, true), name);
        return true;
      }
      case CODE_EVENT.MOVED: {
        if (end - body < 24) return false;
        const moved = this.#remove(readAddress(view, body, true));
        if (moved === undefined) return true;
        const to = readAddress(view, body + 16, true);
        this.#add(to, moved.end - moved.start, moved.name);
        return true;
      }
      case CODE_EVENT.REMOVED:
        if (end - body < 16) return false;
        this.#remove(readAddress(view, body, true));
        return true;
      default:
        return true;
    }
  }

  #add(start: number, length: number, name: string): void {
    const end = start + length;
    if (start < 0 || !(length > 0) || !Number.isSafeInteger(end)) return;
    this.#remove(start);
    this.#at.set(start, { start, end, name });
    if (this.#at.size <= MOST_CODE) return;
    for (const oldest of this.#at.keys()) {
      this.#at.delete(oldest);
      break;
    }
  }

  #remove(start: number): NamedCode | undefined {
    const known = this.#at.get(start);
    this.#at.delete(start);
    this.#starts = null;
    this.version++;
    return known;
  }
}

const UTF8 = new TextDecoder();
