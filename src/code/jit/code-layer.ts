// Hot: rowAt once per JIT frame.

import { NONE } from '../../base/brand.ts';
import { AddressSpace } from '../process/address-space.ts';
import { type CodeTable, isSameCode } from './code-table.ts';
import {
  cutIntoCells,
  findPainted,
  type PaintedRanges,
  paintCells,
  paintRanges,
} from './painted-ranges.ts';
import { BEFORE_RECORDING } from './perf-map.ts';

/** Minimum of new rows, besides as many as exist, from which the whole space is painted anew. */
const REPAINT_ROWS = 4096;

/**
 * One code table as it stands at a moment. Time only goes forward.
 *
 * An address that no row covers yet is named by the first row that ever will: nothing else is known
 * to have been there, and JITs announce late (Java writes its whole map at exit).
 */
export class CodeLayer {
  readonly table: CodeTable;
  /** The address ranges of a bulk of rows, and later rows on top of them. */
  #painted: PaintedRanges | null = null;
  #space = new AddressSpace();
  /** Rows before this one are in force. */
  #next = 0;
  #restart = 0;
  #whole: { earliest: PaintedRanges; latest: PaintedRanges } | null = null;

  constructor(table: CodeTable) {
    this.table = table;
  }

  get isTimed(): boolean {
    const { timeNs, length } = this.table;
    return length === 0 || timeNs[length - 1] > BEFORE_RECORDING;
  }

  /** When the next row comes into force; `Infinity` after the last one. */
  get nextChangeNs(): number {
    const { timeNs, length } = this.table;
    return this.#next < length ? timeNs[this.#next] : Number.POSITIVE_INFINITY;
  }

  /** Brings the rows up to `timeNs` into force; true if there were any. */
  advance(timeNs: number): boolean {
    const { timeNs: times, start, end, restarts, length } = this.table;
    const first = this.#next;
    if (first >= length || times[first] > timeNs) return false;
    let next = first;
    while (next < length && times[next] <= timeNs) next++;
    let from = first;
    while (this.#restart < restarts.length && restarts[this.#restart] <= next) {
      from = restarts[this.#restart++];
      this.#painted = null;
      this.#space = new AddressSpace();
    }
    const added = next - from;
    const alive = restarts[this.#restart - 1] ?? 0;
    if (added > REPAINT_ROWS && added > from - alive) {
      this.#space = new AddressSpace();
      this.#painted = paintRanges(start, end, 'latest', alive, next);
    } else {
      for (let row = from; row < next; row++) {
        this.#space.add(start[row], end[row], row);
      }
    }
    this.#next = next;
    return true;
  }

  /** The row in force at `address` now, or the first that will be; −1 if there is none. */
  rowAt(address: number): number {
    let row = this.#space.find(address);
    if (row === NONE && this.#painted !== null) row = findPainted(this.#painted, address);
    return row === NONE ? findPainted(this.#everything.earliest, address) : row;
  }

  /** Whether the address holds other code than `row` at another time. */
  isReused(address: number, row: number): boolean {
    const { table } = this;
    const earliest = findPainted(this.#everything.earliest, address);
    const latest = findPainted(this.#everything.latest, address);
    const isOther = (other: number) => other !== NONE && !isSameCode(table, row, other);
    return isOther(earliest) || isOther(latest);
  }

  /** All rows, of all times: who comes first and last at each address. */
  get #everything(): { earliest: PaintedRanges; latest: PaintedRanges } {
    if (this.#whole === null) {
      const { start, end, length } = this.table;
      const cells = cutIntoCells(start, end, 0, length);
      const isPainted = this.#painted !== null && this.#space.size === 0 && this.#next === length;
      const latest = isPainted && this.#restart === 0 ? this.#painted : null;
      this.#whole = {
        earliest: paintCells(cells, 'earliest'),
        latest: latest ?? paintCells(cells, 'latest'),
      };
    }
    return this.#whole;
  }
}
