// Hot: once per record of positions, of which each function that V8 compiles has one.

import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';

/**
 * Positions of one piece of code as columns: entry i is for the code from offset[i] to offset[i + 1].
 * All code of a function has its positions from one table, that of its bytecode.
 */
export type ScriptEntries = {
  /** Bytes from the start of the code, ascending. */
  readonly offset: Float64Array;
  /** UTF-16 units from the start of the script of the innermost function; −1: unknown. */
  readonly position: Int32Array;
  /** Number of the inlined call within this code; −1: the function that the code is of. */
  readonly inlining: Int32Array;
};

/** A name with a mark of the version that its script is of; below 1: none. */
export type VersionName = (name: string, version: number) => string;

/** A place in code that a row of positions is of. */
export type MakerPlace = {
  readonly row: number;
  /** Bytes from the start of the code. */
  readonly offset: number;
};

/** A flag of a record of positions. */
export const KNOWS_INLINING = 1;
/** Bound of the entries that one record may have. */
const MOST_ENTRIES = 1 << 18;

/**
 * The positions of code in scripts, and the lines of those, as `native/core/code_events/stream.h` has
 * them: a row per record, which is taken apart when it is asked for. Scripts are numbered by isolate.
 */
export class PositionLog {
  readonly #bytes: Uint8Array;
  readonly #nameOf: VersionName;
  readonly #isolate = new GrowableInt32();
  readonly #script = new GrowableInt32();
  readonly #flags = new GrowableInt32();
  readonly #isBytecode = new GrowableInt32();
  readonly #nameAt = new GrowableInt32();
  readonly #nameSize = new GrowableInt32();
  readonly #version = new GrowableInt32();
  readonly #at = new GrowableInt32();
  readonly #size = new GrowableInt32();
  /** Isolate and script -> bytes of the line ends. */
  readonly #lines = new Map<string, { readonly at: number; readonly size: number }>();
  /** Isolate and script without a file -> the bytecode that had it evaluated. */
  readonly #makers = new Map<string, MakerPlace>();
  readonly #decodedLines = new Map<string, Float64Array>();
  readonly #decoder = new TextDecoder();

  constructor(bytes: Uint8Array, nameOf: VersionName = (name) => name) {
    this.#bytes = bytes;
    this.#nameOf = nameOf;
  }

  get length(): number {
    return this.#at.length;
  }

  /** Adds a record, and returns its row. */
  add(
    isolate: number,
    script: number,
    flags: number,
    isBytecode: boolean,
    name: { readonly at: number; readonly size: number; readonly version: number },
    at: number,
    size: number,
  ): number {
    this.#isolate.push(isolate);
    this.#script.push(script);
    this.#flags.push(flags);
    this.#isBytecode.push(isBytecode ? 1 : 0);
    this.#nameAt.push(name.at);
    this.#nameSize.push(name.size);
    this.#version.push(name.version);
    this.#at.push(at);
    this.#size.push(size);
    return this.#at.length - 1;
  }

  addLineEnds(isolate: number, script: number, at: number, size: number): void {
    this.#lines.set(`${isolate} ${script}`, { at, size });
  }

  addMaker(isolate: number, script: number, maker: MakerPlace): void {
    // A maker that was evaluated itself counts for who made it.
    const outer = this.makerOf(this.isolate(maker.row), this.script(maker.row));
    this.#makers.set(`${isolate} ${script}`, outer ?? maker);
  }

  get hasMakers(): boolean {
    return this.#makers.size > 0;
  }

  /** The call of `new Function` or `eval` by which the program asked for a script without a file; null where it is not known. */
  makerOf(isolate: number, script: number): MakerPlace | null {
    return this.#makers.size === 0 ? null : (this.#makers.get(`${isolate} ${script}`) ?? null);
  }

  isolate(row: number): number {
    return this.#isolate.array[row];
  }

  script(row: number): number {
    return this.#script.array[row];
  }

  /** Bytecode has no inlined functions, and is of no address that is sampled. */
  isBytecode(row: number): boolean {
    return this.#isBytecode.array[row] === 1;
  }

  /** False: the entries of inlined functions look like the code's own. */
  knowsInlining(row: number): boolean {
    return (this.#flags.array[row] & KNOWS_INLINING) !== 0;
  }

  /** Name of the code, as V8 spells it; a later version of a path has its mark. */
  name(row: number): string {
    const at = this.#nameAt.array[row];
    const text = this.#decoder.decode(this.#bytes.subarray(at, at + this.#nameSize.array[row]));
    return this.#nameOf(text, this.#version.array[row]);
  }

  entries(row: number): ScriptEntries {
    const at = this.#at.array[row];
    return decodeEntries(this.#bytes, at, at + this.#size.array[row]);
  }

  /** The ends of a script's lines, in UTF-16 units, ascending; null where V8 had none. */
  lineEnds(isolate: number, script: number): Float64Array | null {
    const key = `${isolate} ${script}`;
    const known = this.#decodedLines.get(key);
    if (known !== undefined) return known;
    const place = this.#lines.get(key);
    if (place === undefined) return null;
    const decoded = decodeLineEnds(this.#bytes, place.at, place.at + place.size);
    this.#decodedLines.set(key, decoded);
    return decoded;
  }
}

/** The entries of a record of positions, in these bytes. */
export function decodeEntries(bytes: Uint8Array, at: number, end: number): ScriptEntries {
  const varints = new Varints(bytes, at, end);
  const offsets: number[] = [];
  const position = new GrowableInt32(16);
  const inlining = new GrowableInt32(16);
  let lastOffset = 0;
  let lastPosition = 0;
  let lastInlining = -1;
  while (!varints.isAtEnd && offsets.length < MOST_ENTRIES) {
    const first = varints.next();
    lastOffset += Math.floor(first / 2);
    if (first % 2 === 1) lastInlining = varints.next() - 1;
    lastPosition += fromZigzag(varints.next());
    offsets.push(lastOffset);
    position.push(lastPosition);
    inlining.push(lastInlining);
  }
  return {
    offset: Float64Array.from(offsets),
    position: position.finish(),
    inlining: inlining.finish(),
  };
}

/** Whether one of these positions is among the entries of a record in these bytes. */
export function hasPosition(
  bytes: Uint8Array,
  at: number,
  end: number,
  wanted: { has(position: number): boolean },
): boolean {
  const varints = new Varints(bytes, at, end);
  let position = 0;
  while (!varints.isAtEnd) {
    if (varints.next() % 2 === 1) varints.next();
    position += fromZigzag(varints.next());
    if (wanted.has(position)) return true;
  }
  return false;
}

/** The ends of the lines of a script, in these bytes. */
export function decodeLineEnds(bytes: Uint8Array, at: number, end: number): Float64Array {
  const varints = new Varints(bytes, at, end);
  const ends = new GrowableFloat64(Math.max(1, end - at));
  let last = 0;
  while (!varints.isAtEnd) {
    last += varints.next();
    ends.push(last);
  }
  return ends.finish();
}

/** Numbers in groups of 7 bits, least first; a number that the bytes cut off ends there. */
class Varints {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  #at: number;

  constructor(bytes: Uint8Array, at: number, end: number) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#end;
  }

  next(): number {
    let value = 0;
    let factor = 1;
    while (this.#at < this.#end) {
      const group = this.#bytes[this.#at++];
      value += (group & 0x7f) * factor;
      if (group < 0x80) break;
      factor *= 128;
    }
    return value;
  }
}

function fromZigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}
