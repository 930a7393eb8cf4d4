// Hot: rowAt once per JIT frame.

import { NONE } from '../base/brand.ts';
import { AddressSpace } from '../process/address-space.ts';
import { type CodeTable, isSameCode } from './code-table.ts';
import { findPainted, type PaintedRanges, paintRanges } from './painted-ranges.ts';
import { BEFORE_RECORDING } from './perf-map.ts';

/** From so many new rows on, and as many as are there, the space is painted anew as a whole. */
const REPAINT_ROWS = 4096;

/**
 * One code table as it stands at a moment. Time only goes forward.
 *
 * An address that no row covers yet is named by the first row that ever will: nothing else is known
 * to have been there, and JITs announce late (Java writes its whole map at exit).
 */
export class CodeLayer {
  readonly table: CodeTable;
  #space = new AddressSpace();
  /** Rows before this one are in force. */
  #next = 0;
  #restart = 0;
  #earliest: PaintedRanges | null = null;
  #latest: PaintedRanges | null = null;

  constructor(table: CodeTable) {
    this.table = table;
  }

  get isTimed(): boolean {
    const { timeNs, length } = this.table;
    return length === 0 || (timeNs[length - 1] as number) > BEFORE_RECORDING;
  }

  /** Brings the rows up to `timeNs` into force; true if there were any. */
  advance(timeNs: number): boolean {
    const { timeNs: times, start, end, restarts, length } = this.table;
    const first = this.#next;
    if (first >= length || (times[first] as number) > timeNs) return false;
    let next = first;
    while (next < length && (times[next] as number) <= timeNs) next++;
    let from = first;
    while (this.#restart < restarts.length && (restarts[this.#restart] as number) <= next) {
      from = restarts[this.#restart++] as number;
      this.#space = new AddressSpace();
    }
    const added = next - from;
    const alive = restarts[this.#restart - 1] ?? 0;
    if (added > REPAINT_ROWS && added > from - alive) {
      this.#space = new AddressSpace();
      const painted = paintRanges(start, end, 'latest', alive, next);
      for (let i = 0; i < painted.length; i++) {
        this.#space.add(
          painted.starts[i] as number,
          painted.ends[i] as number,
          painted.rows[i] as number,
        );
      }
    } else {
      for (let row = from; row < next; row++) {
        this.#space.add(start[row] as number, end[row] as number, row);
      }
    }
    this.#next = next;
    return true;
  }

  /** The row in force at `address` now, or the first that will be; −1 if there is none. */
  rowAt(address: number): number {
    const row = this.#space.find(address);
    if (row !== NONE) return row;
    const { start, end } = this.table;
    this.#earliest ??= paintRanges(start, end, 'earliest');
    return findPainted(this.#earliest, address);
  }

  /** Whether the address holds other code than `row` at another time. */
  isReused(address: number, row: number): boolean {
    const { table } = this;
    this.#earliest ??= paintRanges(table.start, table.end, 'earliest');
    this.#latest ??= paintRanges(table.start, table.end, 'latest');
    const earliest = findPainted(this.#earliest, address);
    const latest = findPainted(this.#latest, address);
    const isOther = (other: number) => other !== NONE && !isSameCode(table, row, other);
    return isOther(earliest) || isOther(latest);
  }
}
