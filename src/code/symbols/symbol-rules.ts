// Which symbols count, where they end, and which of several at one address is shown. These are
// perf's rules (tools/perf/util/symbol.c: symbols__fixup_end, symbols__fixup_duplicate,
// choose_best_symbol), so that both tools name the same function for the same address.

import { NONE } from '../../base/brand.ts';
import { sortedOrder } from '../../base/sorted-order.ts';
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

/** End of an unsized symbol, from its row and the row of the symbol after it, −1 for the last. */
export type EndRule = (row: number, next: number) => number;

const PAGE = 4096;
/** Aliases compared at one address; a crafted file has millions. */
const MAX_ALIASES = 256;
/** Characters of names compared in one file; the largest real ones need a hundredth. */
const MAX_COMPARED = 64 * 2 ** 20;

/** Start rounded up to a page, and a page more: how far a last, unsized symbol may reach. */
export function endOfPageAfter(address: number): number {
  return Math.ceil(address / PAGE) * PAGE + PAGE;
}

/**
 * The table of `rows`: sorted, unsized symbols given an end, one symbol at each address. Which of
 * several aliases lends its name is decided when the name is asked for: names are dear to read, and
 * a lookup asks for few of them.
 */
export function buildSymbolTable(rows: SymbolRows, endRule: EndRule): SymbolTable {
  const order = sortedOrder(rows.start, rows.length);
  const ends = computeEnds(rows, order, endRule);
  const chooser = new AliasChooser(rows, ends);
  /** Per table row: where its aliases begin in `order`. */
  const distinct = countDistinct(rows.start, order);
  const aliasesAt = new Uint32Array(distinct + 1);
  const tableStarts = new Float64Array(distinct);
  const tableEnds = new Float64Array(distinct);
  let count = 0;
  for (let i = 0; i < order.length; ) {
    const first = i;
    const start = rows.start[order[first]];
    let end = ends[order[first]];
    let haveOneEnd = true;
    for (i++; i < order.length && rows.start[order[i]] === start; i++) {
      if (ends[order[i]] !== end) haveOneEnd = false;
    }
    if (!haveOneEnd) end = ends[chooser.best(order, first, i)];
    aliasesAt[count] = first;
    tableStarts[count] = start;
    tableEnds[count] = end;
    count++;
  }
  aliasesAt[count] = order.length;
  return new SymbolTable(
    tableStarts,
    tableEnds,
    nameReader(rows.nameOf, chooser, order, aliasesAt),
  );
}

/** The number of different values, in ascending `order`: columns that are cut to size are in memory twice. */
function countDistinct(values: Float64Array, order: Uint32Array): number {
  let count = 0;
  for (let i = 0; i < order.length; i++) {
    if (i === 0 || values[order[i]] !== values[order[i - 1]]) count++;
  }
  return count;
}

/** A scope of its own: all that a function of `buildSymbolTable` refers to would stay as long as the table. */
function nameReader(
  nameOf: SymbolRows['nameOf'],
  chooser: AliasChooser,
  order: Uint32Array,
  aliasesAt: Uint32Array,
): (index: number) => string {
  return (index) => nameOf(chooser.best(order, aliasesAt[index], aliasesAt[index + 1]));
}

/**
 * An unsized symbol reaches to the next one; of several at one address only the last does. Inside a
 * sized function it is a label of that function's and covers nothing:
 *
 *     18cd300  412 FUNC    Builtins_JSConstructStubGeneric
 *     18cd33b    0 NOTYPE  construct_stub_create_deopt_addr
 *
 * Here perf lets both cover 18cd385, and shows the one that it happens to meet first in its tree.
 */
function computeEnds(rows: SymbolRows, order: Uint32Array, endRule: EndRule): Float64Array {
  const ends = rows.end.slice(0, rows.length);
  const last = order.length - 1;
  let sizedEnd = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < order.length; i++) {
    const row = order[i];
    const start = rows.start[row];
    if (ends[row] !== start) {
      sizedEnd = Math.max(sizedEnd, ends[row]);
      continue;
    }
    if (start < sizedEnd) continue;
    ends[row] = endRule(row, i === last ? NONE : order[i + 1]);
  }
  return ends;
}

/** Chooses among symbols at one address. */
class AliasChooser {
  readonly #names: Pick<SymbolRows, 'nameOf' | 'shownNameOf'>;
  readonly #binding: Uint8Array;
  /** 1 where a row covers anything. */
  readonly #hasLength: Uint8Array;
  #compared = 0;

  constructor({ length, start, binding, nameOf, shownNameOf }: SymbolRows, ends: Float64Array) {
    this.#names = { nameOf, shownNameOf };
    this.#binding = binding;
    this.#hasLength = new Uint8Array(length);
    for (let row = 0; row < length; row++) this.#hasLength[row] = ends[row] > start[row] ? 1 : 0;
  }

  /** The row to be shown of the aliases `order[from … to)`, which are in file order. */
  best(order: Uint32Array, from: number, to: number): number {
    let best = order[from];
    const end = Math.min(to, from + MAX_ALIASES);
    for (let i = from + 1; i < end; i++) {
      const next = order[i];
      if (this.#isBetter(next, best)) best = next;
    }
    return best;
  }

  /** True if `next`, later in the file, is to be shown rather than `current`. */
  #isBetter(next: number, current: number): boolean {
    const hasLength = this.#hasLength[current];
    const nextHasLength = this.#hasLength[next];
    if (hasLength !== nextHasLength) return nextHasLength === 1;

    const binding = this.#binding;
    const isWeak = binding[current] === STB_WEAK;
    if (isWeak !== (binding[next] === STB_WEAK)) return isWeak;
    const nextIsGlobal = binding[next] === STB_GLOBAL;
    if (nextIsGlobal !== (binding[current] === STB_GLOBAL)) return nextIsGlobal;

    if (this.#compared > MAX_COMPARED) return false;
    const stored = this.#names.nameOf(current);
    const nextStored = this.#names.nameOf(next);
    this.#compared += stored.length + nextStored.length;
    // Most aliases are .dynsym's copy, or the second of two equal constructors.
    if (stored === nextStored || areSameStructor(stored, nextStored)) return false;

    const name = this.#names.shownNameOf(current);
    const nextName = this.#names.shownNameOf(next);
    const underscores = countLeadingUnderscores(name);
    const nextUnderscores = countLeadingUnderscores(nextName);
    if (underscores !== nextUnderscores) return nextUnderscores < underscores;
    if (name.length !== nextName.length) return nextName.length > name.length;
    // Old kernels list sys_read as SyS_read too.
    return name.startsWith('SyS') || name.startsWith('compat_SyS');
  }
}

/**
 * True for C++ names that differ only in the variant of a constructor or destructor (`C1`, `C2`,
 * `D0` …): demangled they are equal, and need not be.
 */
function areSameStructor(a: string, b: string): boolean {
  if (a.length !== b.length || !a.startsWith('_Z')) return false;
  let at = 0;
  while (a.charCodeAt(at) === b.charCodeAt(at)) at++;
  const kind = a[at - 1];
  return (
    (kind === 'C' || kind === 'D') &&
    a.slice(at + 1) === b.slice(at + 1) &&
    isDigit(a, at) &&
    isDigit(b, at)
  );
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

function countLeadingUnderscores(name: string): number {
  let count = 0;
  while (name.charCodeAt(count) === 0x5f) count++;
  return count;
}
