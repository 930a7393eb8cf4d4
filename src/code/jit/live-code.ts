// Hot: once per record, of which a program that warms up makes tens of thousands.

import { lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { copyBytes } from '../../base/join-bytes.ts';
import {
  CODE_EVENT,
  type CodeRecord,
  MOST_CODE_RECORD_BYTES,
  MOST_NAME_BYTES,
} from './code-record.ts';
import { StreamCutter } from './stream-cutter.ts';

/** Beyond either the oldest code is forgotten; a large server has a tenth. */
const MOST_CODE = 200_000;
const MOST_CODE_BYTES = 16 << 20;
/** A record is a name and a few numbers; notes are larger. */
const MOST_RECORD_BYTES = 32 << 20;
/** Room of a piece of code besides its name: its row, its entry in the index, and as much until they are made smaller. */
const PIECE_BYTES = 160;
/** Bytes of names and rows below which none are moved together. */
const FEW_BYTES = 64 << 10;
const FEW_ROWS = 1024;

/** A piece of code that has a name. */
export type NamedCode = { readonly start: number; readonly end: number; readonly name: string };

/** A reader of records that are not of machine code, as `StreamCutter` has them. */
export type OtherRecords = {
  isWanted(record: CodeRecord): boolean;
  take(record: CodeRecord, bytes: Uint8Array): void;
};

const NO_OTHERS: OtherRecords = { isWanted: () => false, take: () => {} };

/**
 * The machine code of a process as it is now, from the streams that its isolates send
 * (`code-record.ts` has their layout). Code at an address takes the place of what was there before.
 *
 * A piece of code is a row of columns, in the order in which it came, and its name as it was sent, in one buffer. A string
 * each would make V8's young generation grow by tens of MB while a process lists its code.
 */
export class LiveCode {
  readonly #start = new GrowableFloat64(FEW_ROWS);
  readonly #end = new GrowableFloat64(FEW_ROWS);
  readonly #nameAt = new GrowableInt32(FEW_ROWS);
  /** −1 where the code is gone. */
  readonly #nameSize = new GrowableInt32(FEW_ROWS);
  /** Grows in its place, so that no former one waits for V8 to collect it. */
  readonly #names = new Uint8Array(
    new ArrayBuffer(FEW_BYTES, { maxByteLength: 2 * MOST_CODE_BYTES }),
  );
  #namesEnd = 0;
  /** Bytes of the names of code that is there. */
  #nameBytes = 0;
  /** Start of code -> its row. */
  readonly #rowAt = new Map<number, number>();
  #starts: Float64Array | null = null;
  /** Goes up with each change. */
  version = 0;

  /** Bytes of memory that the code and its names take, about. */
  get bytes(): number {
    return this.#nameBytes + this.#rowAt.size * PIECE_BYTES;
  }

  /** Takes the bytes of one isolate as they come; records of it that `others` want go there. */
  stream(others: OtherRecords = NO_OTHERS): StreamCutter {
    return new StreamCutter({
      judge: (record) => {
        if (record.size > MOST_RECORD_BYTES) return 'damaged';
        if (!isOfMachineCode(record) && !others.isWanted(record)) return 'passed';
        return record.size > MOST_CODE_RECORD_BYTES ? 'damaged' : 'whole';
      },
      take: (record, bytes) => {
        if (!isOfMachineCode(record)) others.take(record, bytes);
        else if (!this.#take(record, bytes)) return 'damaged';
        return 'taken';
      },
      pass: () => {},
    });
  }

  /** The code at an address; null where none is known. */
  find(address: number): NamedCode | null {
    this.#starts ??= this.#sortedStarts();
    const at = lastAtMost(this.#starts, address);
    const row = at < 0 ? NONE : (this.#rowAt.get(this.#starts[at]) ?? NONE);
    if (row === NONE || address >= this.#end.array[row]) return null;
    const nameAt = this.#nameAt.array[row];
    const name = UTF8.decode(this.#names.slice(nameAt, nameAt + this.#nameSize.array[row]));
    return { start: this.#start.array[row], end: this.#end.array[row], name };
  }

  #sortedStarts(): Float64Array {
    const [start, nameSize] = [this.#start.array, this.#nameSize.array];
    const starts = new Float64Array(this.#rowAt.size);
    let length = 0;
    for (let row = 0; length < starts.length; row++) {
      if (nameSize[row] !== NONE) starts[length++] = start[row];
    }
    return starts.sort();
  }

  #take({ type, start, length, to, textAt, textSize }: CodeRecord, bytes: Uint8Array): boolean {
    if (type === CODE_EVENT.ADDED) {
      if (textSize > MOST_NAME_BYTES) return false;
      this.#add(start, length, bytes, textAt, textSize);
    } else if (type === CODE_EVENT.MOVED) this.#move(start, to);
    else this.#remove(start);
    return true;
  }

  #add(start: number, length: number, bytes: Uint8Array, textAt: number, textSize: number): void {
    if (!isRange(start, start + length)) return;
    this.#remove(start);
    this.#makeRoom(textSize);
    copyBytes(bytes, textAt, textSize, this.#names, this.#namesEnd);
    this.#rowAt.set(start, this.#start.length);
    this.#start.push(start);
    this.#end.push(start + length);
    this.#nameAt.push(this.#namesEnd);
    this.#nameSize.push(textSize);
    this.#namesEnd += textSize;
    this.#nameBytes += textSize;
    if (this.#rowAt.size > MOST_CODE || this.bytes > MOST_CODE_BYTES) this.#forgetOldest();
  }

  /** Keeps its place in the order in which code came. */
  #move(from: number, to: number): void {
    const row = this.#rowAt.get(from);
    const end = to + (row === undefined ? 0 : this.#end.array[row] - from);
    if (from === to || row === undefined || !isRange(to, end)) {
      if (from !== to) this.#remove(from);
      return;
    }
    this.#remove(to);
    this.#rowAt.delete(from);
    this.#rowAt.set(to, row);
    this.#start.array[row] = to;
    this.#end.array[row] = end;
  }

  #remove(start: number): void {
    const row = this.#rowAt.get(start);
    this.#starts = null;
    this.version++;
    if (row === undefined) return;
    this.#rowAt.delete(start);
    this.#nameBytes -= this.#nameSize.array[row];
    this.#nameSize.array[row] = NONE;
  }

  /** A tenth at once, so that their rows are passed over once. */
  #forgetOldest(): void {
    const bytes = Math.min(this.bytes, MOST_CODE_BYTES) * 0.9;
    const size = Math.min(this.#rowAt.size, MOST_CODE) * 0.9;
    for (let row = 0; this.#rowAt.size > size || this.bytes > bytes; row++) {
      if (this.#nameSize.array[row] !== NONE) this.#remove(this.#start.array[row]);
    }
  }

  /** Room for one more row and its name; rows and names of code that is gone are given up when they are a third. */
  #makeRoom(nameBytes: number): void {
    const rows = this.#start.length;
    const hasGoneNames = this.#namesEnd > 1.5 * this.#nameBytes + FEW_BYTES;
    if (hasGoneNames || rows > 1.5 * this.#rowAt.size + FEW_ROWS) this.#moveTogether();
    const wanted = this.#namesEnd + nameBytes;
    const buffer = this.#names.buffer;
    if (wanted <= buffer.byteLength) return;
    buffer.resize(Math.min(buffer.maxByteLength, Math.ceil(wanted / FEW_BYTES) * FEW_BYTES));
  }

  #moveTogether(): void {
    const [start, end] = [this.#start.array, this.#end.array];
    const [nameAt, nameSize] = [this.#nameAt.array, this.#nameSize.array];
    let rows = 0;
    let namesEnd = 0;
    for (let row = 0; row < this.#start.length; row++) {
      const size = nameSize[row];
      if (size === NONE) continue;
      this.#names.copyWithin(namesEnd, nameAt[row], nameAt[row] + size);
      start[rows] = start[row];
      end[rows] = end[row];
      nameAt[rows] = namesEnd;
      nameSize[rows] = size;
      this.#rowAt.set(start[rows], rows);
      namesEnd += size;
      rows++;
    }
    for (const column of [this.#start, this.#end, this.#nameAt, this.#nameSize])
      column.length = rows;
    this.#namesEnd = namesEnd;
  }
}

function isRange(start: number, end: number): boolean {
  return start >= 0 && end > start && Number.isSafeInteger(end);
}

const UTF8 = new TextDecoder();

function isOfMachineCode({ type, isCode }: CodeRecord): boolean {
  return (
    isCode &&
    (type === CODE_EVENT.ADDED || type === CODE_EVENT.MOVED || type === CODE_EVENT.REMOVED)
  );
}
