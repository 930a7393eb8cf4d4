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
import {
  decodeEntries,
  decodeLineEnds,
  hasPosition,
  KNOWS_INLINING,
  type ScriptEntries,
} from './position-log.ts';
import { StreamCutter } from './stream-cutter.ts';

/** Beyond either the oldest code is forgotten; a large server has a tenth. */
const MOST_CODE = 200_000;
const MOST_CODE_BYTES = 16 << 20;
/** A record is a name and a few numbers; notes are larger. */
const MOST_RECORD_BYTES = 32 << 20;
/** Room of a piece of code besides its name: its row, its entry in the index, and as much until they are made smaller. */
const PIECE_BYTES = 192;
/** Positions of longer code, and ends of more lines, are not kept. */
const MOST_POSITION_BYTES = 256 << 10;
/** Room of a script's line ends besides these. */
const SCRIPT_BYTES = 256;
/** Bytecode with a longer name is the owner of no positions. */
const MOST_OWNER_NAME = 512;
/** A flag of a row: it is bytecode, which is kept for its positions and is at no address that is sampled. */
const IS_BYTECODE = 1 << 16;
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

/** The name of the bytecode that was added last in a stream: it has a row when positions of it come. */
type Pending = { start: number; length: number; readonly name: Uint8Array; nameSize: number };

/**
 * The machine code of a process as it is now, from the streams that its isolates send
 * (`code-record.ts` has their layout), with the positions in scripts that V8 has of it. Code at an address takes the place of
 * what was there before. As `V8TableCode` it has the bytecode, too, whose positions tell the functions that were inlined.
 *
 * A piece of code is a row of columns, in the order in which it came, and its name and positions as they were sent, in one
 * buffer. A string each would make V8's young generation grow by tens of MB while a process lists its code.
 */
export class LiveCode {
  readonly #start = new GrowableFloat64(FEW_ROWS);
  readonly #end = new GrowableFloat64(FEW_ROWS);
  readonly #nameAt = new GrowableInt32(FEW_ROWS);
  /** −1 where the code is gone. */
  readonly #nameSize = new GrowableInt32(FEW_ROWS);
  /** Bytes of the positions behind the name. */
  readonly #entriesSize = new GrowableInt32(FEW_ROWS);
  readonly #isolate = new GrowableInt32(FEW_ROWS);
  readonly #script = new GrowableInt32(FEW_ROWS);
  readonly #flags = new GrowableInt32(FEW_ROWS);
  /** Grows in its place, so that no former one waits for V8 to collect it. */
  readonly #names = new Uint8Array(
    new ArrayBuffer(FEW_BYTES, { maxByteLength: 2 * MOST_CODE_BYTES }),
  );
  #namesEnd = 0;
  /** Bytes of the names and positions of code that is there. */
  #nameBytes = 0;
  #isolates = 0;
  /** Isolate and script -> the ends of its lines, as they were sent; null: no positions are kept. */
  #lines: Map<string, Uint8Array> | null = new Map();
  #lineBytes = 0;
  /** Ends that were decoded since `forgetDecoded`. */
  readonly #decoded = new Map<string, Float64Array>();
  /** Start of code -> its row. */
  readonly #rowAt = new Map<number, number>();
  #starts: Float64Array | null = null;
  /** Goes up with each change of machine code. */
  version = 0;
  /** Goes up when rows get other numbers. */
  numbering = 0;

  /** Bytes of memory that the code and its names take, about. */
  get bytes(): number {
    return this.#nameBytes + this.#rowAt.size * PIECE_BYTES + this.#lineBytes;
  }

  /** Rows, those of code that is gone among them. */
  get length(): number {
    return this.#start.length;
  }

  isolate(row: number): number {
    return this.#isolate.array[row];
  }

  script(row: number): number {
    return this.#script.array[row];
  }

  isBytecode(row: number): boolean {
    return (this.#flags.array[row] & IS_BYTECODE) !== 0 && this.#nameSize.array[row] !== NONE;
  }

  knowsInlining(row: number): boolean {
    return (this.#flags.array[row] & KNOWS_INLINING) !== 0;
  }

  name(row: number): string {
    const at = this.#nameAt.array[row];
    return UTF8.decode(this.#names.slice(at, at + Math.max(0, this.#nameSize.array[row])));
  }

  start(row: number): number {
    return this.#start.array[row];
  }

  /** Whether V8 has said where the code is in its script. */
  hasPositions(row: number): boolean {
    return this.#entriesSize.array[row] > 0;
  }

  entries(row: number): ScriptEntries {
    const at = this.#nameAt.array[row] + Math.max(0, this.#nameSize.array[row]);
    return decodeEntries(this.#names, at, at + this.#entriesSize.array[row]);
  }

  lineEnds(isolate: number, script: number): Float64Array | null {
    const key = `${isolate} ${script}`;
    const bytes = this.#lines?.get(key);
    if (bytes === undefined) return null;
    const ends = this.#decoded.get(key) ?? decodeLineEnds(bytes, 0, bytes.length);
    this.#decoded.set(key, ends);
    return ends;
  }

  /** Gives up what was decoded of line ends: they are asked for by many at once, and then by nobody. */
  forgetDecoded(): void {
    this.#decoded.clear();
  }

  hasAny(row: number, wanted: { has(position: number): boolean }): boolean {
    const at = this.#nameAt.array[row] + Math.max(0, this.#nameSize.array[row]);
    return hasPosition(this.#names, at, at + this.#entriesSize.array[row], wanted);
  }

  /** Keeps no positions from now on; false where it has kept none before. */
  dropPositions(): boolean {
    if (this.#lines === null) return false;
    this.#lines = null;
    this.#lineBytes = 0;
    this.#decoded.clear();
    for (let row = 0; row < this.#start.length; row++) {
      if (this.isBytecode(row)) this.#remove(this.#start.array[row]);
      else this.#dropEntries(row);
    }
    this.#moveTogether();
    return true;
  }

  /** Takes the bytes of one isolate as they come; records of it that `others` want go there. */
  stream(others: OtherRecords = NO_OTHERS): StreamCutter {
    const isolate = this.#isolates++;
    const name = new Uint8Array(MOST_OWNER_NAME);
    const pending: Pending = { start: NONE, length: 0, name, nameSize: 0 };
    return new StreamCutter({
      judge: (record) => {
        if (record.size > MOST_RECORD_BYTES) return 'damaged';
        if (isOfPositions(record)) {
          return this.#lines === null || record.size > MOST_POSITION_BYTES ? 'passed' : 'whole';
        }
        if (!isOfMachineCode(record) && !others.isWanted(record)) return 'passed';
        return record.size > MOST_CODE_RECORD_BYTES ? 'damaged' : 'whole';
      },
      take: (record, bytes) => {
        if (isOfPositions(record)) this.#takePositions(record, bytes, isolate, pending);
        else if (!isOfMachineCode(record)) others.take(record, bytes);
        else if (!this.#take(record, bytes)) return 'damaged';
        return 'taken';
      },
      pass: () => {},
    });
  }

  /** The code at an address; null where none is known. */
  find(address: number): NamedCode | null {
    const row = this.rowAt(address);
    if (row === NONE) return null;
    return { start: this.#start.array[row], end: this.#end.array[row], name: this.name(row) };
  }

  /** The row of the machine code at an address; −1 where none is known. */
  rowAt(address: number): number {
    this.#starts ??= this.#sortedStarts();
    const at = lastAtMost(this.#starts, address);
    const row = at < 0 ? NONE : (this.#rowAt.get(this.#starts[at]) ?? NONE);
    return row === NONE || address >= this.#end.array[row] ? NONE : row;
  }

  #sortedStarts(): Float64Array {
    const [start, nameSize, flags] = [this.#start.array, this.#nameSize.array, this.#flags.array];
    const starts = new Float64Array(this.#rowAt.size);
    let length = 0;
    for (let row = 0; row < this.#start.length; row++) {
      if (nameSize[row] !== NONE && (flags[row] & IS_BYTECODE) === 0) starts[length++] = start[row];
    }
    return starts.subarray(0, length).sort();
  }

  /** Bytecode, and where code is in its script. */
  #takePositions(record: CodeRecord, bytes: Uint8Array, isolate: number, pending: Pending): void {
    const { type, start, textAt, textSize } = record;
    if (type === CODE_EVENT.LINE_ENDS) {
      this.#keepLines(`${isolate} ${record.script}`, bytes.slice(textAt, textAt + textSize));
    } else if (type === CODE_EVENT.MOVED) this.#move(start, record.to);
    else if (type === CODE_EVENT.REMOVED) this.#remove(start);
    else if (type === CODE_EVENT.ADDED) {
      const isKept = textSize <= MOST_OWNER_NAME;
      Object.assign(pending, { start: isKept ? start : NONE, length: record.length });
      pending.nameSize = isKept ? textSize : 0;
      copyBytes(bytes, textAt, pending.nameSize, pending.name, 0);
    } else {
      if (!record.isCode && pending.start === start) {
        this.#add(start, pending.length, pending.name, 0, pending.nameSize, IS_BYTECODE);
        pending.start = NONE;
      }
      const row = this.#rowAt.get(start);
      if (row === undefined || this.isBytecode(row) === record.isCode) return;
      this.#keepEntries(start, bytes, textAt, textSize);
      const last = this.#start.length - 1;
      this.#isolate.array[last] = isolate;
      this.#script.array[last] = record.script;
      this.#flags.array[last] |= record.flags & KNOWS_INLINING;
      if (this.bytes > MOST_CODE_BYTES) this.#forgetOldest();
    }
  }

  #keepLines(key: string, ends: Uint8Array): void {
    this.#lineBytes +=
      ends.length + SCRIPT_BYTES - (this.#lines?.get(key)?.length ?? -SCRIPT_BYTES);
    this.#lines?.set(key, ends);
    this.#decoded.delete(key);
    if (this.#lineBytes > MOST_CODE_BYTES / 4) this.dropPositions();
  }

  /** Keeps them behind the name, in the last row: names and positions are in the order of rows. */
  #keepEntries(start: number, bytes: Uint8Array, at: number, size: number): void {
    const row = this.#rowAt.get(start) as number;
    if (row < this.#start.length - 1 || this.#entriesSize.array[row] > 0) {
      const nameAt = this.#nameAt.array[row];
      const name = this.#names.slice(nameAt, nameAt + this.#nameSize.array[row]);
      const length = this.#end.array[row] - start;
      this.#add(start, length, name, 0, name.length, this.#flags.array[row]);
    }
    this.#makeRoom(size);
    copyBytes(bytes, at, size, this.#names, this.#namesEnd);
    this.#namesEnd += size;
    this.#nameBytes += size;
    this.#entriesSize.array[this.#start.length - 1] = size;
  }

  #dropEntries(row: number): void {
    this.#nameBytes -= this.#entriesSize.array[row];
    this.#entriesSize.array[row] = 0;
  }

  #take({ type, start, length, to, textAt, textSize }: CodeRecord, bytes: Uint8Array): boolean {
    if (type === CODE_EVENT.ADDED) {
      if (textSize > MOST_NAME_BYTES) return false;
      this.#add(start, length, bytes, textAt, textSize);
    } else if (type === CODE_EVENT.MOVED) this.#move(start, to);
    else this.#remove(start);
    return true;
  }

  #add(
    start: number,
    length: number,
    bytes: Uint8Array,
    textAt: number,
    textSize: number,
    flags = 0,
  ): void {
    if (!isRange(start, start + length)) return;
    this.#remove(start);
    this.#makeRoom(textSize);
    copyBytes(bytes, textAt, textSize, this.#names, this.#namesEnd);
    this.#rowAt.set(start, this.#start.length);
    this.#start.push(start);
    this.#end.push(start + length);
    this.#nameAt.push(this.#namesEnd);
    this.#nameSize.push(textSize);
    this.#flags.push(flags);
    for (const column of [this.#entriesSize, this.#isolate, this.#script]) column.push(0);
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
    if (row === undefined || !this.isBytecode(row)) {
      this.#starts = null;
      this.version++;
    }
    if (row === undefined) return;
    this.#rowAt.delete(start);
    this.#dropEntries(row);
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
    const [nameAt, nameSize] = [this.#nameAt.array, this.#nameSize.array];
    const columns = [
      ...[this.#start, this.#end, this.#nameAt, this.#nameSize],
      ...[this.#entriesSize, this.#isolate, this.#script, this.#flags],
    ];
    const arrays = columns.map(({ array }) => array);
    this.numbering++;
    let rows = 0;
    let namesEnd = 0;
    for (let row = 0; row < this.#start.length; row++) {
      if (nameSize[row] === NONE) continue;
      const size = nameSize[row] + this.#entriesSize.array[row];
      this.#names.copyWithin(namesEnd, nameAt[row], nameAt[row] + size);
      for (let column = 0; column < arrays.length; column++) {
        arrays[column][rows] = arrays[column][row];
      }
      nameAt[rows] = namesEnd;
      this.#rowAt.set(this.#start.array[rows], rows);
      namesEnd += size;
      rows++;
    }
    for (const column of columns) column.length = rows;
    this.#namesEnd = namesEnd;
  }
}

function isRange(start: number, end: number): boolean {
  return start >= 0 && end > start && Number.isSafeInteger(end);
}

const UTF8 = new TextDecoder();

function isOfMachineCode({ type, isCode }: CodeRecord): boolean {
  return isCode && isOfCode(type);
}

function isOfPositions({ type, isCode }: CodeRecord): boolean {
  const hasPositions = type === CODE_EVENT.POSITIONS || type === CODE_EVENT.LINE_ENDS;
  return hasPositions || (!isCode && isOfCode(type));
}

function isOfCode(type: number): boolean {
  return type === CODE_EVENT.ADDED || type === CODE_EVENT.MOVED || type === CODE_EVENT.REMOVED;
}
