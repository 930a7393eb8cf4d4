// Hot: once per line, 200 000 of them.

import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { HexField } from '../../base/hex-field.ts';
import { STB_GLOBAL, STB_WEAK } from '../elf/constants.ts';
import { isSymbolLine } from './kallsyms-line.ts';
import { linesAround } from './kallsyms-search.ts';
import { buildSymbolTable, endOfPageAfter, type SymbolRows } from './symbol-rules.ts';
import { EMPTY_SYMBOL_TABLE, type SymbolTable } from './symbol-table.ts';

const STB_LOCAL = 0;
const MAX_LINES = 5_000_000;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const LOWER_CASE = 0x20;
/** Bytes that are looked at to find one address. Of lists no longer than that all lines are read, … */
const BYTES_OF_SEARCH = 1000;
/** … unless their table would cost more than the search. */
const LONGEST_READ = 2 ** 16;

/**
 * The kernel's symbol list, as in `/proc/kallsyms`; a module's symbols name it in brackets:
 *
 *   ffffffff81000080 T entry_SYSCALL_64
 *   ffffffffc0346f40 t hidraw_connect	[hid]
 *
 * Letters as in nm: T text, D data, B bss, W weak, lower case local; others are not addresses of
 * code or data. Sizes are not stored: a symbol reaches to the next one, and the last of the kernel
 * or of a module to the end of its page. Zeros for addresses mean that the kernel hides them: the
 * table is empty, and that is counted.
 *
 * With `wanted` (ascending) the table answers for these addresses only, and costs little more than
 * reading the lines.
 */
export function parseKallsyms(
  bytes: Uint8Array,
  diagnostics: Diagnostics,
  wanted?: Float64Array,
): SymbolTable {
  const lines = new KallsymsLines(bytes);
  const shortList = Math.min(LONGEST_READ, (wanted?.length ?? 0) * BYTES_OF_SEARCH);
  if (wanted !== undefined && bytes.length > shortList)
    linesAround(bytes, wanted, (line) => lines.read(line));
  else for (let line = 0; line < bytes.length; ) line = lines.read(line);
  if (lines.badLines > 0) diagnostics.count('kallsyms-line-malformed', '', lines.badLines);
  if (lines.zeroAddresses > (lines.zeroAddresses + lines.start.length) / 2) {
    diagnostics.count('kallsyms-restricted');
    return EMPTY_SYMBOL_TABLE;
  }
  const start = lines.start.finish();
  const typeAt = lines.typeAt.finish();
  // A table for few addresses is let go of soon.
  const kept = wanted === undefined ? keepNames(bytes, typeAt) : bytes;
  return tableOf(kept, start, typeAt);
}

/** The bytes behind the addresses of these lines, three fifths of all. Moves `typeAt` to them. */
function keepNames(bytes: Uint8Array, typeAt: Int32Array): Uint8Array {
  let length = 0;
  for (let row = 0; row < typeAt.length; row++) {
    length += findNewline(bytes, typeAt[row]) + 1 - typeAt[row];
  }
  const kept = new Uint8Array(length);
  let at = 0;
  for (let row = 0; row < typeAt.length; row++) {
    const from = typeAt[row];
    const end = findNewline(bytes, from);
    typeAt[row] = at;
    for (let i = from; i < end; i++) kept[at++] = bytes[i];
    kept[at++] = NEWLINE;
  }
  return kept;
}

/** The symbols of code and data among the lines read. */
class KallsymsLines {
  readonly start = new GrowableFloat64();
  /** Offset of the line's type letter; the name begins two bytes later. */
  readonly typeAt = new GrowableInt32();
  zeroAddresses = 0;
  badLines = 0;
  readonly #bytes: Uint8Array;
  readonly #hex = new HexField();
  #lines = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Reads the line at `line`; returns where the next one begins. */
  read(line: number): number {
    const bytes = this.#bytes;
    const hex = this.#hex;
    const end = findNewline(bytes, line);
    if (++this.#lines > MAX_LINES) return bytes.length;
    // 'address type name', single spaces; a tab before the module.
    if (!hex.read(bytes, line, end) || bytes[hex.end] !== SPACE || bytes[hex.end + 2] !== SPACE) {
      if (end > line) this.badLines++;
      return end + 1;
    }
    const type = hex.end + 1;
    if (isSymbolLine(bytes, type)) {
      if (hex.value === 0) {
        this.zeroAddresses++;
      } else {
        this.start.push(hex.value);
        this.typeAt.push(type);
      }
    }
    return end + 1;
  }
}

/** The table of the lines whose type letters are at `typeAt`. */
function tableOf(bytes: Uint8Array, start: Float64Array, typeAt: Int32Array): SymbolTable {
  const nameOf = namesOf(bytes, typeAt);
  const rows: SymbolRows = {
    length: start.length,
    start,
    end: start,
    binding: Uint8Array.from(typeAt, (at) => bindingOf(bytes[at])),
    nameOf,
    shownNameOf: nameOf,
  };
  return buildSymbolTable(rows, (row, next) => {
    if (next === NONE) return endOfPageAfter(start[row]);
    const module = moduleOf(bytes, typeAt[row]);
    const isSame = sameModule(bytes, module, moduleOf(bytes, typeAt[next]));
    return isSame ? start[next] : endOfPageAfter(start[row]);
  });
}

/** A scope of its own: with the names stays what a function of it refers to, and the addresses need not. */
function namesOf(bytes: Uint8Array, typeAt: Int32Array): (row: number) => string {
  return (row) => {
    const name = typeAt[row] + 2;
    return decodeName(bytes, name, endOfName(bytes, name));
  };
}

/** Offset of the module's `[`, −1 for the kernel proper. */
function moduleOf(bytes: Uint8Array, typeAt: number): number {
  const end = endOfName(bytes, typeAt + 2);
  return bytes[end] === TAB ? end + 1 : -1;
}

/** The tab or newline behind a name. */
function endOfName(bytes: Uint8Array, from: number): number {
  let i = from;
  while (i < bytes.length && bytes[i] !== TAB && bytes[i] !== NEWLINE) i++;
  return i;
}

/** Address of the symbol called `name`; null if the list has none. */
export function findKallsymsAddress(bytes: Uint8Array, name: string): number | null {
  const wanted = new TextEncoder().encode(` ${name}\n`);
  const hex = new HexField();
  for (let line = 0; line < bytes.length; ) {
    const found = bytes.indexOf(NEWLINE, line);
    const end = found < 0 ? bytes.length : found;
    const at = end + 1 - wanted.length;
    if (at > line && wanted.every((byte, i) => bytes[at + i] === byte)) {
      return hex.read(bytes, line, end) ? hex.value : null;
    }
    line = end + 1;
  }
  return null;
}

function bindingOf(type: number): number {
  if (type === 0x57) return STB_WEAK;
  return (type & LOWER_CASE) === 0 ? STB_GLOBAL : STB_LOCAL;
}

function findNewline(bytes: Uint8Array, from: number): number {
  let i = from;
  while (i < bytes.length && bytes[i] !== NEWLINE) i++;
  return i;
}

function sameModule(bytes: Uint8Array, a: number, b: number): boolean {
  if (a < 0 || b < 0) return a === b;
  for (let i = 0; bytes[a + i] === bytes[b + i]; i++) {
    if (bytes[a + i] === NEWLINE || a + i >= bytes.length) return true;
  }
  return false;
}

function decodeName(bytes: Uint8Array, from: number, end: number): string {
  let name = '';
  for (let i = from; i < end; i++) name += String.fromCharCode(bytes[i]);
  return name;
}
