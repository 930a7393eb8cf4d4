import { lastAtMost } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { memorySource } from '../../base/byte-source.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import { StringTable } from '../../base/string-table.ts';
import type { SourceFrames } from '../dwarf/dwarf-file.ts';
import { crc32 } from './debug-file.ts';

/** Strings by index; decoded where they are asked for. */
type Texts = { readonly length: number; at(index: number): string };

/** The frames of row i are `first[i]` to `first[i + 1]`; names and files are indexes into the texts. */
type Columns = {
  /** Ascending, each once. */
  readonly address: Float64Array;
  readonly first: Int32Array;
  readonly name: Int32Array;
  readonly file: Int32Array;
  readonly line: Int32Array;
  readonly column: Int32Array;
};

/**
 * Finds at addresses of one file: the frames there, innermost first, none where nothing is
 * known. Names are not demangled.
 */
export class FoundFrames {
  readonly columns: Columns;
  readonly texts: Texts;

  constructor(columns: Columns, texts: Texts) {
    this.columns = columns;
    this.texts = texts;
  }

  /** The row of `address`; −1 if it was never looked up. */
  find(address: number): number {
    const row = lastAtMost(this.columns.address, address);
    return row >= 0 && this.columns.address[row] === address ? row : NONE;
  }

  /** How many frames `row` has. */
  count(row: number): number {
    return this.columns.first[row + 1] - this.columns.first[row];
  }

  /** Writes the frames of `row` into `out`, with indexes of the texts here; returns how many. */
  copyFrames(row: number, out: SourceFrames): number {
    const { first, name, file, line, column } = this.columns;
    const length = Math.min(this.count(row), out.name.length);
    for (let i = 0; i < length; i++) {
      const from = first[row] + i;
      out.name[i] = name[from];
      out.file[i] = file[from];
      out.line[i] = line[from];
      out.column[i] = column[from];
    }
    out.length = length;
    return length;
  }
}

/** Gathers what is found, on top of what was known before. */
export class FoundBuilder {
  readonly #texts = new StringTable();
  readonly #address = new GrowableFloat64();
  readonly #first = new GrowableInt32();
  readonly #name = new GrowableInt32();
  readonly #file = new GrowableInt32();
  readonly #line = new GrowableInt32();
  readonly #column = new GrowableInt32();

  constructor(known: FoundFrames | null) {
    if (known === null) return;
    const { address, first, name, file, line, column } = known.columns;
    for (let row = 0; row < address.length; row++) {
      this.begin(address[row]);
      for (let i = first[row]; i < first[row + 1]; i++) {
        this.addFrame(known.texts.at(name[i]), known.texts.at(file[i]), line[i], column[i]);
      }
    }
  }

  /** Rows so far. */
  get length(): number {
    return this.#address.length;
  }

  /** Begins the row of an address that has none yet; `addFrame` adds its frames, innermost first. */
  begin(address: number): void {
    this.#address.push(address);
    this.#first.push(this.#name.length);
  }

  /** A row of the first `count` of `frames`, whose names and files are indexes for `textAt`. */
  add(
    address: number,
    frames: SourceFrames,
    count: number,
    textAt: (index: number) => string = () => '',
  ): void {
    this.begin(address);
    const { name, file, line, column } = frames;
    for (let i = 0; i < count; i++) {
      this.addFrame(textAt(name[i]), textAt(file[i]), line[i], column[i]);
    }
  }

  addFrame(name: string, file: string, line: number, column: number): void {
    this.#name.push(this.#texts.intern(name));
    this.#file.push(this.#texts.intern(file));
    this.#line.push(line);
    this.#column.push(column);
  }

  finish(): FoundFrames {
    const order = sortedOrder(this.#address.array, this.#address.length);
    const frames = this.#name.length;
    const address = new Float64Array(order.length);
    const first = new Int32Array(order.length + 1);
    const columns = [this.#name, this.#file, this.#line, this.#column].map((from) => ({
      from: from.array,
      to: new Int32Array(frames),
    }));
    let at = 0;
    for (let row = 0; row < order.length; row++) {
      const old = order[row];
      address[row] = this.#address.array[old];
      first[row] = at;
      const begin = this.#first.array[old];
      const end = old + 1 < order.length ? this.#first.array[old + 1] : frames;
      for (const { from, to } of columns) to.set(from.subarray(begin, end), at);
      at += end - begin;
    }
    first[order.length] = at;
    const [name, file, line, column] = columns.map(({ to }) => to);
    const { strings } = this.#texts;
    const texts = { length: strings.length, at: (index: number) => strings[index] };
    return new FoundFrames({ address, first, name, file, line, column }, texts);
  }
}

/** `PTSn`, in this machine's order of bytes: what another machine wrote is nothing here. */
const MAGIC = 0x6e535450;
/** A change of the bytes or of their meaning takes the next number. */
const VERSION = 1;
/** Words of the header. */
const HEADER = 8;

/**
 * The bytes of `found`, with a text that says of what it holds:
 *
 *   u32 magic, version
 *   u32 crc        // of all that follows
 *   u32 rows, frames, texts, text_bytes, key_bytes
 *   f64 address[rows]
 *   i32 first[rows + 1], name[frames], file[frames], line[frames], column[frames]
 *   u32 text_end[texts]
 *   u8  text[text_bytes], key[key_bytes]     // UTF-8
 */
export function encodeFound({ columns, texts }: FoundFrames, key: string): Uint8Array {
  const encoder = new TextEncoder();
  const all = encoder.encode(Array.from({ length: texts.length }, (_, i) => texts.at(i)).join(''));
  const keyBytes = encoder.encode(key);
  const rows = columns.address.length;
  const frames = columns.name.length;
  const sizes = [rows, frames, texts.length, all.length, keyBytes.length];
  const bytes = new Uint8Array(sizeOf(sizes));
  const parts = partsOf(bytes, sizes);
  new Uint32Array(bytes.buffer, 0, HEADER).set([MAGIC, VERSION, 0, ...sizes]);
  parts.address.set(columns.address);
  parts.first.set(columns.first);
  for (const name of COLUMN_NAMES) parts[name].set(columns[name]);
  let end = 0;
  for (let i = 0; i < texts.length; i++) {
    end += encoder.encode(texts.at(i)).length;
    parts.textEnd[i] = end;
  }
  parts.text.set(all);
  parts.key.set(keyBytes);
  new Uint32Array(bytes.buffer, 0, HEADER)[2] = checksum(bytes);
  return bytes;
}

const COLUMN_NAMES = ['name', 'file', 'line', 'column'] as const;

/** The finds that `encodeFound` wrote; null for anything else, whole or damaged. */
export function decodeFound(
  bytes: Uint8Array,
): { readonly found: FoundFrames; readonly key: string } | null {
  if (bytes.byteOffset % 8 !== 0 || bytes.length < 4 * HEADER) return null;
  const [magic, version, crc, ...sizes] = new Uint32Array(bytes.buffer, bytes.byteOffset, HEADER);
  if (magic !== MAGIC || version !== VERSION || bytes.length !== sizeOf(sizes)) return null;
  if (crc !== checksum(bytes)) return null;
  const { text, textEnd, key, ...columns } = partsOf(bytes, sizes);
  const isWhole =
    isAscending(columns.address) &&
    arePositions(columns.first, columns.name.length) &&
    arePositions(textEnd, text.length) &&
    areBelow(columns.name, textEnd.length) &&
    areBelow(columns.file, textEnd.length);
  if (!isWhole) return null;
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const known: string[] = [];
  const at = (index: number): string => {
    known[index] ??= decoder.decode(
      text.subarray(index === 0 ? 0 : textEnd[index - 1], textEnd[index]),
    );
    return known[index];
  };
  const texts = { length: textEnd.length, at };
  return { found: new FoundFrames(columns, texts), key: decoder.decode(key) };
}

function sizeOf([rows, frames, texts, textBytes, keyBytes]: readonly number[]): number {
  const words = HEADER + rows + 1 + COLUMN_NAMES.length * frames + texts;
  return 4 * words + 8 * rows + textBytes + keyBytes;
}

/** The places of the parts in `bytes`, which are as many as `sizeOf` says. */
function partsOf(bytes: Uint8Array, sizes: readonly number[]) {
  const [rows, frames, texts, textBytes, keyBytes] = sizes;
  const { buffer } = bytes;
  let at = bytes.byteOffset + 4 * HEADER;
  const address = new Float64Array(buffer, at, rows);
  at += 8 * rows;
  const int32 = (length: number) => {
    const column = new Int32Array(buffer, at, length);
    at += 4 * length;
    return column;
  };
  const first = int32(rows + 1);
  const [name, file, line, column] = COLUMN_NAMES.map(() => int32(frames));
  const textEnd = int32(texts);
  const text = new Uint8Array(buffer, at, textBytes);
  const key = new Uint8Array(buffer, at + textBytes, keyBytes);
  return { address, first, name, file, line, column, textEnd, text, key };
}

/** Checksum of all that stands behind the checksum itself. */
function checksum(bytes: Uint8Array): number {
  return crc32(memorySource(bytes.subarray(12)));
}

function isAscending(values: Float64Array): boolean {
  for (let i = 1; i < values.length; i++) if (!(values[i - 1] < values[i])) return false;
  return true;
}

/** Places that rise, the last of them at the end of what they lie in. */
function arePositions(values: Int32Array, end: number): boolean {
  let last = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i] < last) return false;
    last = values[i];
  }
  return last === end;
}

function areBelow(values: Int32Array, limit: number): boolean {
  for (let i = 0; i < values.length; i++) {
    if (values[i] < 0 || values[i] >= limit) return false;
  }
  return true;
}
