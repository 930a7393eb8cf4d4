// Hot: once per line, 200 000 of them.

import type { Diagnostics } from '../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../base/growable-columns.ts';
import { STB_GLOBAL, STB_WEAK } from '../elf/constants.ts';
import { HexField } from './hex-field.ts';
import { buildSymbolTable, endOfPageAfter, type SymbolRows } from './symbol-rules.ts';
import { EMPTY_SYMBOL_TABLE, type SymbolTable } from './symbol-table.ts';

const STB_LOCAL = 0;
const MAX_LINES = 5_000_000;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const DOLLAR = 0x24;
const LOWER_CASE = 0x20;

/** Said when the kernel shows addresses as zeros; the fix is one of two settings. */
export const KALLSYMS_RESTRICTED =
  'kernel symbols are hidden (kernel.kptr_restrict or missing CAP_SYSLOG)';

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
 */
export function parseKallsyms(bytes: Uint8Array, diagnostics: Diagnostics): SymbolTable {
  const start = new GrowableFloat64(1 << 17);
  const binding = new GrowableUint8(1 << 17);
  const nameAt = new GrowableInt32(1 << 17);
  const nameEnd = new GrowableInt32(1 << 17);
  /** Where the module's `[` is, −1 for the kernel proper. */
  const moduleAt = new GrowableInt32(1 << 17);
  const hex = new HexField();
  let textSymbols = 0;
  let zeroAddresses = 0;
  let badLines = 0;
  for (let line = 0, lines = 0; line < bytes.length && lines < MAX_LINES; lines++) {
    const found = bytes.indexOf(NEWLINE, line);
    const end = found < 0 ? bytes.length : found;
    const next = end + 1;
    // 'address type name', single spaces; a tab before the module.
    if (!hex.read(bytes, line, end) || bytes[hex.end] !== SPACE || bytes[hex.end + 2] !== SPACE) {
      if (end > line) badLines++;
      line = next;
      continue;
    }
    const type = bytes[hex.end + 1] as number;
    const name = hex.end + 3;
    line = next;
    if (!isTextOrData(type) || bytes[name] === DOLLAR) continue;
    textSymbols++;
    if (hex.value === 0) {
      zeroAddresses++;
      continue;
    }
    const tab = findByte(bytes, TAB, name, end);
    start.push(hex.value);
    binding.push(bindingOf(type));
    nameAt.push(name);
    nameEnd.push(tab);
    moduleAt.push(tab < end ? tab + 1 : -1);
  }
  if (badLines > 0) diagnostics.count('kallsyms line not understood', '', badLines);
  if (zeroAddresses > textSymbols / 2) {
    diagnostics.count(KALLSYMS_RESTRICTED);
    return EMPTY_SYMBOL_TABLE;
  }

  const nameOf = (row: number): string =>
    decodeName(bytes, nameAt.array[row] as number, nameEnd.array[row] as number);
  const rows: SymbolRows = {
    length: start.length,
    start: start.array,
    end: start.array,
    binding: binding.array,
    nameOf,
    shownNameOf: nameOf,
  };
  const modules = moduleAt.array;
  return buildSymbolTable(rows, (row, next) => {
    const isSameModule = sameModule(bytes, modules[row] as number, modules[next] as number);
    const rowStart = start.array[row] as number;
    return isSameModule ? (start.array[next] as number) : endOfPageAfter(rowStart);
  });
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

/** T, W, D, B in either case: what perf takes for a symbol. */
function isTextOrData(type: number): boolean {
  const lower = type | LOWER_CASE;
  return lower === 0x74 || lower === 0x77 || lower === 0x64 || lower === 0x62;
}

function bindingOf(type: number): number {
  if (type === 0x57) return STB_WEAK;
  return (type & LOWER_CASE) === 0 ? STB_GLOBAL : STB_LOCAL;
}

function findByte(bytes: Uint8Array, byte: number, from: number, end: number): number {
  let i = from;
  while (i < end && bytes[i] !== byte) i++;
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
  for (let i = from; i < end; i++) name += String.fromCharCode(bytes[i] as number);
  return name;
}
