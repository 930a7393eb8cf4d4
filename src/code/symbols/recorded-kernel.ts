import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { HexField } from '../../base/hex-field.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
import { formatAddress } from '../../base/u64.ts';
import { parseKallsyms } from './kallsyms.ts';
import { NO_SYMBOL, SymbolTable } from './symbol-table.ts';

/** A recording that meets more functions of the kernel than this has no use for all their names. */
const MAX_SYMBOLS = 200_000;
const NEWLINE = 0x0a;

/**
 * The kernel symbols that a recording needs, as it carries them: those functions of the kernel and
 * its modules that hold one of `addresses` (signed form, in any order), out of the kernel's list.
 *
 *   ffffffff81e2b9c0 ffffffff81e2ba40 do_syscall_64
 *
 * Start, end (exclusive), name; addresses are those of the recorded boot. Ends are written out, as
 * the next symbol need not be in the list. Null if the list names none of them. `addresses` null: all
 * functions.
 */
export function recordedKernelSymbols(
  kallsyms: Uint8Array,
  addresses: Float64Array | null,
  diagnostics: Diagnostics,
): string | null {
  if (addresses === null) return linesOf(parseKallsyms(kallsyms, diagnostics));
  const wanted = addressesToName(addresses);
  const table = parseKallsyms(kallsyms, diagnostics, wanted);
  const rows = new Set<number>();
  for (const address of wanted) {
    const index = table.find(address);
    if (index !== NO_SYMBOL) rows.add(index);
  }
  return linesOf(table, rows);
}

/** The addresses that a symbol is needed for, ascending, where a recording met `addresses`. */
export function addressesToName(addresses: Float64Array): Float64Array {
  const wanted = new Float64Array(addresses.length * 2);
  // A return address may be the first byte behind its caller, which calls what never returns.
  wanted.set(addresses);
  wanted.set(
    addresses.map((address) => address - 1),
    addresses.length,
  );
  return wanted.sort();
}

function linesOf(table: SymbolTable, rows: Iterable<number> = table.starts.keys()): string | null {
  const lines: string[] = [];
  for (const row of rows) {
    if (lines.length === MAX_SYMBOLS) break;
    const start = formatAddress(table.starts[row]);
    const end = formatAddress(table.ends[row]);
    lines.push(`${start} ${end} ${table.name(row)}\n`);
  }
  return lines.length === 0 ? null : lines.join('');
}

/** The table of such a list. Lines that make no sense are counted and left out. */
export function parseRecordedKernel(bytes: Uint8Array, diagnostics: Diagnostics): SymbolTable {
  const starts = new GrowableFloat64();
  const ends = new GrowableFloat64();
  const names = new GrowableInt32();
  const hex = new HexField();
  let badLines = 0;
  for (let line = 0; line < bytes.length && starts.length < MAX_SYMBOLS; ) {
    const newline = bytes.indexOf(NEWLINE, line);
    const limit = newline < 0 ? bytes.length : newline;
    const hasStart = hex.read(bytes, line, limit);
    const start = hex.value;
    const hasEnd = hasStart && hex.read(bytes, hex.end + 1, limit);
    if (hasEnd && hex.value > start && hex.end + 1 < limit) {
      starts.push(start);
      ends.push(hex.value);
      names.push(hex.end + 1);
    } else {
      badLines++;
    }
    line = limit + 1;
  }
  if (badLines > 0) diagnostics.count('recorded-kernel-line-malformed', '', badLines);
  const order = sortedOrder(starts.array, starts.length);
  const sorted = (column: Float64Array | Int32Array) =>
    Float64Array.from(order, (row) => column[row]);
  const nameAt = sorted(names.array);
  return new SymbolTable(sorted(starts.array), sorted(ends.array), (index) => {
    const from = nameAt[index];
    const end = bytes.indexOf(NEWLINE, from);
    return new TextDecoder().decode(bytes.subarray(from, end < 0 ? bytes.length : end));
  });
}
