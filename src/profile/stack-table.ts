import { NONE } from '../base/brand.ts';
import { grownInt32 } from '../base/growable-columns.ts';
import type { StackIndex, StackTable } from './types.ts';

const FIRST_CAPACITY = 1024;
/** Two keep probing short, and the hash table in the processor's cache for longer than four. */
const SLOTS_PER_ROW = 2;

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
  #length = 0;
  #frame = new Int32Array(FIRST_CAPACITY);
  #prefix = new Int32Array(FIRST_CAPACITY);
  /** The child that each row was last asked for, −1 before the first. Not part of the table. */
  #lastChild = new Int32Array(FIRST_CAPACITY).fill(NONE);
  #lastRoot: number = NONE;
  #slots = new Int32Array(FIRST_CAPACITY * SLOTS_PER_ROW).fill(NONE);

  get length(): number {
    return this.#length;
  }

  /** The child that `prefix` (−1: the root) was last asked for, −1 if none. */
  lastChild(prefix: number): number {
    return prefix === NONE ? this.#lastRoot : this.#lastChild[prefix];
  }

  frame(stack: number): number {
    return this.#frame[stack];
  }

  prefix(stack: number): number {
    return this.#prefix[stack];
  }

  /** `prefix` is −1 for the outermost frame. */
  // Hot: once per frame.
  intern(prefix: number, frame: number): StackIndex {
    const remembered = this.lastChild(prefix);
    if (remembered !== NONE && this.#frame[remembered] === frame) return remembered as StackIndex;
    return this.#search(prefix, frame);
  }

  #search(prefix: number, frame: number): StackIndex {
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = hashStack(prefix, frame) & mask;
    let row: number;
    for (;;) {
      row = slots[slot];
      if (row === NONE) {
        row = this.#add(slot, prefix, frame);
        break;
      }
      if (this.#frame[row] === frame && this.#prefix[row] === prefix) break;
      slot = (slot + 1) & mask;
    }
    if (prefix === NONE) this.#lastRoot = row;
    else this.#lastChild[prefix] = row;
    return row as StackIndex;
  }

  #add(slot: number, prefix: number, frame: number): number {
    if (!(prefix >= NONE && prefix < this.#length && frame >= 0)) {
      throw new RangeError(
        `no such path: prefix ${prefix} of ${this.#length} stacks, frame ${frame}`,
      );
    }
    const row = this.#length++;
    this.#slots[slot] = row;
    this.#frame[row] = frame;
    this.#prefix[row] = prefix;
    if (this.#length === this.#frame.length) this.#grow();
    return row;
  }

  /** Doubles the columns. */
  #grow(): void {
    const capacity = this.#length * 2;
    this.#frame = grownInt32(this.#frame, capacity);
    this.#prefix = grownInt32(this.#prefix, capacity);
    this.#lastChild = grownInt32(this.#lastChild, capacity).fill(NONE, this.#length);
    const slots = new Int32Array(capacity * SLOTS_PER_ROW).fill(NONE);
    const mask = slots.length - 1;
    for (let row = 0; row < this.#length; row++) {
      let slot = hashStack(this.#prefix[row], this.#frame[row]) & mask;
      while (slots[slot] !== NONE) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.#slots = slots;
  }

  finish(): StackTable {
    return {
      length: this.#length,
      frame: this.#frame.slice(0, this.#length),
      prefix: this.#prefix.slice(0, this.#length),
    };
  }
}

/** Odd multipliers spread both indexes; the upper bits, which vary most, are folded down. */
function hashStack(prefix: number, frame: number): number {
  const mixed = Math.imul(prefix, 0x9e3779b1) ^ Math.imul(frame, 0x85ebca6b);
  return mixed ^ (mixed >>> 15);
}
