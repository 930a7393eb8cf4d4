// Which symbols count, where they end, and which of several at one address is shown. These are
// perf's rules (tools/perf/util/symbol.c: symbols__fixup_end, symbols__fixup_duplicate,
// choose_best_symbol), so that both tools name the same function for the same address.

import { sortedOrder } from '../base/sorted-order.ts';
import { STB_GLOBAL, STB_WEAK } from '../elf/constants.ts';
import { SymbolTable } from './symbol-table.ts';

/** Symbols as read, in file order, which decides between equals. */
export type SymbolRows = {
  readonly length: number;
  readonly start: Float64Array;
  /** End address; equal to the start where the size is not known. */
  readonly end: Float64Array;
  /** STB_* */
  readonly binding: Uint8Array;
  readonly nameOf: (row: number) => string;
  /** The name as shown, for comparing aliases; demangled where that is known. */
  readonly shownNameOf: (row: number) => string;
};

/** End of an unsized symbol, from its row and the row of the symbol after it. */
export type EndRule = (row: number, next: number) => number;

const PAGE = 4096;
/** Aliases compared at one address; a crafted file has millions. */
const MAX_ALIASES = 256;

/** Start rounded up to a page, and a page more: how far a last, unsized symbol may reach. */
export function endOfPageAfter(address: number): number {
  return Math.ceil(address / PAGE) * PAGE + PAGE;
}

/** The table of `rows`: sorted, unsized symbols given an end, one symbol at each address. */
export function buildSymbolTable(rows: SymbolRows, endRule: EndRule): SymbolTable {
  const order = sortedOrder(rows.start, rows.length);
  const ends = computeEnds(rows, order, endRule);
  const best = new Uint32Array(rows.length);
  let count = 0;
  for (let i = 0; i < order.length; ) {
    let chosen = order[i] as number;
    const start = rows.start[chosen] as number;
    const first = i++;
    for (; i < order.length && rows.start[order[i] as number] === start; i++) {
      const next = order[i] as number;
      if (i - first < MAX_ALIASES && isBetter(rows, ends, next, chosen)) chosen = next;
    }
    best[count++] = chosen;
  }
  const chosen = best.slice(0, count);
  return new SymbolTable(
    Float64Array.from(chosen, (row) => rows.start[row] as number),
    Float64Array.from(chosen, (row) => ends[row] as number),
    (index) => rows.nameOf(chosen[index] as number),
  );
}

/** An unsized symbol reaches to the next one; of several at one address only the last does. */
function computeEnds(rows: SymbolRows, order: Uint32Array, endRule: EndRule): Float64Array {
  const ends = rows.end.slice(0, rows.length);
  const last = order.length - 1;
  for (let i = 0; i < order.length; i++) {
    const row = order[i] as number;
    const start = rows.start[row] as number;
    if (ends[row] !== start) continue;
    ends[row] = i === last ? endOfPageAfter(start) : endRule(row, order[i + 1] as number);
  }
  return ends;
}

/** True if `next`, later in the file, is to be shown rather than `current` at the same address. */
function isBetter(rows: SymbolRows, ends: Float64Array, next: number, current: number): boolean {
  const start = rows.start[current] as number;
  const hasLength = (ends[current] as number) > start;
  const nextHasLength = (ends[next] as number) > start;
  if (hasLength !== nextHasLength) return nextHasLength;

  const binding = rows.binding[current] as number;
  const nextBinding = rows.binding[next] as number;
  if ((binding === STB_WEAK) !== (nextBinding === STB_WEAK)) return binding === STB_WEAK;
  if ((binding === STB_GLOBAL) !== (nextBinding === STB_GLOBAL)) return nextBinding === STB_GLOBAL;

  const name = rows.shownNameOf(current);
  const nextName = rows.shownNameOf(next);
  const underscores = countLeadingUnderscores(name);
  const nextUnderscores = countLeadingUnderscores(nextName);
  if (underscores !== nextUnderscores) return nextUnderscores < underscores;
  if (name.length !== nextName.length) return nextName.length > name.length;
  // Old kernels list sys_read as SyS_read too.
  return name.startsWith('SyS') || name.startsWith('compat_SyS');
}

function countLeadingUnderscores(name: string): number {
  let count = 0;
  while (name.charCodeAt(count) === 0x5f) count++;
  return count;
}
