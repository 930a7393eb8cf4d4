// Hot: once per record, of which a program that warms up makes tens of thousands.

import { lastAtMost } from '../../base/bisect.ts';
import { CODE_EVENT, type CodeRecord, MOST_NAME_BYTES } from './code-record.ts';
import { RecordCutter } from './record-cutter.ts';

/** Beyond either the oldest code is forgotten; a large server has a tenth. */
const MOST_CODE = 200_000;
const MOST_CODE_BYTES = 16 << 20;
/** Room of a piece of code besides its name, in the tables here, rounded up. */
const PIECE_BYTES = 200;

/** A piece of code that has a name. */
export type NamedCode = { readonly start: number; readonly end: number; readonly name: string };

/**
 * The machine code of a process as it is now, from the streams that its isolates send
 * (`code-record.ts` has their layout). Code at an address takes the place of what was there before.
 */
export class LiveCode {
  /** Code by its start, in the order in which it came. */
  readonly #at = new Map<number, NamedCode>();
  #starts: Float64Array | null = null;
  #bytes = 0;
  /** Goes up with each change. */
  version = 0;

  /** Bytes of memory that the code and its names take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes the bytes of one isolate as they come; false when they make no sense: the stream is to be left. */
  stream(): (bytes: Uint8Array) => boolean {
    const cutter = new RecordCutter((record, bytes) => this.#take(record, bytes));
    return (bytes) => cutter.take(bytes);
  }

  /** The code at an address; null where none is known. */
  find(address: number): NamedCode | null {
    this.#starts ??= Float64Array.from(this.#at.keys()).sort();
    const row = lastAtMost(this.#starts, address);
    const found = row < 0 ? undefined : this.#at.get(this.#starts[row]);
    return found !== undefined && address < found.end ? found : null;
  }

  #take({ type, start, length, to, textAt, textSize }: CodeRecord, bytes: Uint8Array): boolean {
    if (type === CODE_EVENT.ADDED) {
      if (textSize > MOST_NAME_BYTES) return false;
      this.#add(start, length, UTF8.decode(bytes.subarray(textAt, textAt + textSize)));
      return true;
    }
    const known = this.#remove(start);
    if (type === CODE_EVENT.MOVED && known !== undefined) {
      this.#add(to, known.end - known.start, known.name);
    }
    return true;
  }

  #add(start: number, length: number, name: string): void {
    const end = start + length;
    if (start < 0 || !(length > 0) || !Number.isSafeInteger(end)) return;
    this.#remove(start);
    this.#at.set(start, { start, end, name });
    this.#bytes += bytesOf(name);
    if (this.#at.size > MOST_CODE || this.#bytes > MOST_CODE_BYTES) this.#forgetOldest();
  }

  /** A tenth at once: to find the oldest in a map costs as much as there are that were removed before it. */
  #forgetOldest(): void {
    const bytes = Math.min(this.#bytes, MOST_CODE_BYTES) * 0.9;
    const size = Math.min(this.#at.size, MOST_CODE) * 0.9;
    for (const oldest of this.#at.keys()) {
      if (this.#at.size <= size && this.#bytes <= bytes) return;
      this.#remove(oldest);
    }
  }

  #remove(start: number): NamedCode | undefined {
    const known = this.#at.get(start);
    if (known !== undefined) this.#bytes -= bytesOf(known.name);
    this.#at.delete(start);
    this.#starts = null;
    this.version++;
    return known;
  }
}

function bytesOf(name: string): number {
  return PIECE_BYTES + Buffer.byteLength(name);
}

const UTF8 = new TextDecoder();
