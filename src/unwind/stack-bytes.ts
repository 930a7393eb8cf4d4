// Hot: once per frame.

import type { StackReader } from './types.ts';

const TWO_32 = 2 ** 32;

/** The stack copy of one sample. One object is set again and again. */
export class StackBytes implements StackReader {
  #view: DataView = new DataView(new ArrayBuffer(0));
  #offset = 0;
  #start = 0;
  /** `start` + bytes − 8: the last address of a whole word. */
  #lastWord = -1;
  end = 0;

  /**
   * The copy is the `length` bytes at `offset` of `view`, whose first lies at the absolute address
   * `start`: the stack pointer of the sample.
   */
  set(view: DataView, offset: number, length: number, start: number): void {
    this.#view = view;
    this.#offset = offset;
    this.#start = start;
    this.#lastWord = start + length - 8;
    this.end = start + length;
  }

  readWord(address: number): number {
    if (!(address >= this.#start && address <= this.#lastWord)) return Number.NaN;
    const at = address - this.#start + this.#offset;
    return this.#view.getInt32(at + 4, true) * TWO_32 + this.#view.getUint32(at, true);
  }

  readPointer(address: number): number {
    if (!(address >= this.#start && address <= this.#lastWord)) return Number.NaN;
    const at = address - this.#start + this.#offset;
    return this.#view.getUint16(at + 4, true) * TWO_32 + this.#view.getUint32(at, true);
  }
}
