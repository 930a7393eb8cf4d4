import { NONE } from '../base/brand.ts';
import { grownInt32 } from '../base/growable-columns.ts';
import { PairInterner } from '../base/pair-interner.ts';
import type { StackIndex, StackTable } from './types.ts';

const FIRST_CAPACITY = 1024;

/**
 * Builds the stack table: each distinct path from the root once. Interned from the root inwards,
 * a callchain main → work → leaf becomes
 *
 *   row  prefix  frame
 *    0     −1    main
 *    1      0    work
 *    2      1    leaf     <- the sample stores 2
 *
 * Consecutive samples mostly share their outer frames, so each row remembers the child it was last
 * asked for; only where paths part is the hash table asked.
 */
export class StackTableBuilder {
  /** Each prefix with its frame. */
  readonly #paths = new PairInterner();
  #frame = this.#paths.second.array;
  /** The child that each row was last asked for, −1 before the first. Not part of the table. */
  #lastChild = new Int32Array(FIRST_CAPACITY).fill(NONE);
  #lastRoot: number = NONE;

  get length(): number {
    return this.#paths.length;
  }

  /** The child that `prefix` (−1: the root) was last asked for, −1 if none. */
  lastChild(prefix: number): number {
    return prefix === NONE ? this.#lastRoot : this.#lastChild[prefix];
  }

  frame(stack: number): number {
    return this.#frame[stack];
  }

  prefix(stack: number): number {
    return this.#paths.first.array[stack];
  }

  /** `prefix` is −1 for the outermost frame. */
  // Hot: once per frame.
  intern(prefix: number, frame: number): StackIndex {
    const remembered = this.lastChild(prefix);
    if (remembered !== NONE && this.#frame[remembered] === frame) return remembered as StackIndex;
    return this.#search(prefix, frame);
  }

  #search(prefix: number, frame: number): StackIndex {
    const { length } = this.#paths;
    if (!(prefix >= NONE && prefix < length && frame >= 0)) {
      throw new RangeError(`no such path: prefix ${prefix} of ${length} stacks, frame ${frame}`);
    }
    const row = this.#paths.intern(prefix, frame);
    if (row === this.#lastChild.length) {
      this.#lastChild = grownInt32(this.#lastChild, row * 2).fill(NONE, row);
    }
    this.#frame = this.#paths.second.array;
    if (prefix === NONE) this.#lastRoot = row;
    else this.#lastChild[prefix] = row;
    return row as StackIndex;
  }

  /** Forgets all rows, for those who hand them out and go on with others. */
  clear(): void {
    this.#paths.clear();
    this.#lastChild.fill(NONE);
    this.#lastRoot = NONE;
  }

  finish(): StackTable {
    const { first, second, length } = this.#paths;
    return { length, frame: second.finish(), prefix: first.finish() };
  }
}
