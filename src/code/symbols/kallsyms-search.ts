import { HexField } from '../../base/hex-field.ts';
import { compareAddresses } from '../../base/u64.ts';
import { isSymbolLine } from './kallsyms-line.ts';

const NEWLINE = 0x0a;
const TAB = 0x09;

/**
 * Calls `visit` with the lines of `/proc/kallsyms` that matter for `wanted` (ascending): for each
 * address those of the symbol at or before it and those of the next one, which states where it ends.
 *
 *   ffffffff81000000 T _text            │ the kernel proper, sorted by address: the kernel itself
 *   …                                   │ searches it by halving, and so does this
 *   ffffffffc0346f40 t connect  [hid]   │ modules, in the order of their loading: every line
 *
 * The lists of 100 000 and more lines are then hardly read at all.
 */
export function linesAround(
  bytes: Uint8Array,
  wanted: Float64Array,
  visit: (line: number) => void,
): void {
  const modulesAt = startOfModules(bytes);
  const visited = new Set<number>();
  const list = new LineList(bytes, modulesAt);
  for (let i = 0; i < wanted.length; i++) {
    const address = wanted[i];
    // The last line at or below the address, back to the first one with that address.
    let line = list.symbolBefore(list.firstAbove(address));
    if (line < 0) line = 0;
    const start = list.addressAt(line);
    if (start === 0) {
      // A list whose addresses are hidden: all lines have this one.
      visited.add(line);
      continue;
    }
    for (let earlier = line; earlier >= 0 && list.addressAt(earlier) === start; ) {
      line = earlier;
      earlier = list.previous(earlier);
    }
    // Forward over all lines of this symbol and of the next one.
    let end = Number.NaN;
    for (; line < modulesAt; line = list.next(line)) {
      if (!list.isSymbol(line)) continue;
      const at = list.addressAt(line);
      if (Number.isNaN(end) && compareAddresses(at, start) > 0) end = at;
      if (!Number.isNaN(end) && compareAddresses(at, end) > 0) break;
      visited.add(line);
    }
  }
  for (const line of [...visited].sort((a, b) => a - b)) visit(line);
  for (let line = modulesAt; line < bytes.length; line = list.next(line)) visit(line);
}

/** The first line of a module, whose name stands behind a tab; the end if there is none. */
function startOfModules(bytes: Uint8Array): number {
  const tab = bytes.indexOf(TAB);
  return tab < 0 ? bytes.length : bytes.lastIndexOf(NEWLINE, tab) + 1;
}

/** Lines [0, end) of a list that is sorted by address. A line is known by its first byte. */
class LineList {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  readonly #hex = new HexField();

  constructor(bytes: Uint8Array, end: number) {
    this.#bytes = bytes;
    this.#end = end;
  }

  /** The first line whose address is above `address`; the end if there is none. */
  firstAbove(address: number): number {
    let low = 0;
    let high = this.#end;
    while (low < high) {
      const line = this.#lineAt((low + high) >>> 1);
      if (compareAddresses(this.addressAt(line), address) <= 0) low = this.next(line);
      else high = line;
    }
    return low;
  }

  /** The nearest line before `line` that is a symbol; −1 if there is none. */
  symbolBefore(line: number): number {
    let before = this.previous(line);
    while (before >= 0 && !this.isSymbol(before)) before = this.previous(before);
    return before;
  }

  /** NaN for a line that is not understood. */
  addressAt(line: number): number {
    return this.#hex.read(this.#bytes, line, this.#end) ? this.#hex.value : Number.NaN;
  }

  isSymbol(line: number): boolean {
    const isRead = this.#hex.read(this.#bytes, line, this.#end);
    return isRead && isSymbolLine(this.#bytes, this.#hex.end + 1);
  }

  next(line: number): number {
    const newline = this.#bytes.indexOf(NEWLINE, line);
    return newline < 0 ? this.#bytes.length : newline + 1;
  }

  /** −1 at the first line. */
  previous(line: number): number {
    return line <= 0 ? -1 : this.#lineAt(line - 1);
  }

  /** The line that byte `at` is in. */
  #lineAt(at: number): number {
    let start = at;
    while (start > 0 && this.#bytes[start - 1] !== NEWLINE) start--;
    return start;
  }
}
