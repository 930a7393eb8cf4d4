// Hot: once per frame of a process whose functions are known while they waited.

import { countBefore } from '../../base/bisect.ts';
import { NONE } from '../../base/brand.ts';
import { groupBy } from '../../base/group-by.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { readAddress, readAddresses } from '../../base/u64.ts';

const ADDRESSES = 4;

/**
 * Interpreted functions while they waited for V8 to compile what they called. A row is one moment: the bytecode
 * that had called, and what a walk by frame pointers finds of that frame in a row.
 *
 *     addresses    callee of the callee   callee   own call   caller
 *     callchain …  0x11a0ff20             0x11983c 0x7f0e5120 0x7f0e6a04 …
 *
 * V8 reports code when it is done: the first row behind a sample in the same frames has the place of the sample,
 * too. A moment in Node's own functions has two rows of one time, the second for the innermost function outside Node.
 */
export class CallerLog {
  readonly #timeNs = new GrowableFloat64();
  readonly #bytecode = new GrowableFloat64();
  /** `ADDRESSES` a row. */
  readonly #addresses = new GrowableFloat64();
  readonly #isolate = new GrowableInt32();
  /** Address of the own call -> its rows, ascending by time. */
  #rowsAt: Map<number, number[]> | null = null;
  readonly #read = new Float64Array(ADDRESSES);

  get length(): number {
    return this.#timeNs.length;
  }

  /** Adds the body of a record CALLER. Those of one isolate come in the order of time. */
  add(isolate: number, timeNs: number, view: DataView, body: number): void {
    this.#isolate.push(isolate);
    this.#timeNs.push(timeNs);
    this.#bytecode.push(readAddress(view, body, true));
    readAddresses(view, body + 8, ADDRESSES, true, this.#read);
    for (const address of this.#read) this.#addresses.push(address);
  }

  /**
   * The bytecode of the function whose own call is `callchain[at]`, which waited at `timeNs`; −1 where it is not
   * known. The frames around it have to be in the callchain.
   */
  find(callchain: Float64Array, at: number, timeNs: number): number {
    this.#rowsAt ??= this.#sorted();
    const rows = this.#rowsAt.get(callchain[at]);
    if (rows === undefined) return NONE;
    const times = this.#timeNs.array;
    const row = rows[countBefore(rows.length, (place) => times[rows[place]] < timeNs)];
    return row !== undefined && this.#isOf(row, callchain, at, timeNs)
      ? this.#bytecode.array[row]
      : NONE;
  }

  #isOf(row: number, callchain: Float64Array, at: number, timeNs: number): boolean {
    const times = this.#timeNs.array;
    const isolates = this.#isolate.array;
    const isSecond = isolates[row - 1] === isolates[row] && times[row - 1] === times[row];
    const before = isSecond ? row - 2 : row - 1;
    const isFirst = before < 0 || isolates[before] !== isolates[row] || times[before] < timeNs;
    const first = row * ADDRESSES;
    for (let i = 0; i < ADDRESSES && isFirst; i++) {
      if (this.#addresses.array[first + i] !== callchain[at - 2 + i]) return false;
    }
    return isFirst;
  }

  #sorted(): Map<number, number[]> {
    const times = this.#timeNs.array;
    const rows = Array.from({ length: this.length }, (_, row) => row);
    rows.sort((a, b) => times[a] - times[b]);
    return groupBy(rows, (row) => this.#addresses.array[row * ADDRESSES + 2]);
  }
}
