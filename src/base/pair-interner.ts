import { NONE } from './brand.ts';
import { GrowableInt32 } from './growable-columns.ts';

const FIRST_SLOTS = 2048;

/**
 * Every distinct pair of integers once, as two columns. The hash table holds row numbers only;
 * hashing and equality read the columns, so nothing is stored twice. Two to four slots a row keep probing short,
 * and the table in the processor's cache for longer than more.
 *
 *   row     0   1   2           slots   [ ·, 2, ·, 0, ·, ·, 1, · ]   open addressing, at most
 *   first  -1   0   0                                                half full, −1 = empty
 *   second  7   8   9
 */
export class PairInterner {
  readonly first = new GrowableInt32();
  readonly second = new GrowableInt32();
  #slots = new Int32Array(FIRST_SLOTS).fill(NONE);

  get length(): number {
    return this.first.length;
  }

  /** The row of (first, second), new or existing; new rows are appended. */
  // Hot: once per frame that the callers' own memory did not answer.
  intern(first: number, second: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    const firstColumn = this.first.array;
    const secondColumn = this.second.array;
    let slot = hashPair(first, second) & mask;
    for (;;) {
      const row = slots[slot];
      if (row === NONE) break;
      if (firstColumn[row] === first && secondColumn[row] === second) return row;
      slot = (slot + 1) & mask;
    }
    const row = this.first.length;
    slots[slot] = row;
    this.first.push(first);
    this.second.push(second);
    if (row * 2 >= slots.length) this.#grow();
    return row;
  }

  /** Forgets all pairs; their memory is kept for others. */
  clear(): void {
    this.first.length = 0;
    this.second.length = 0;
    this.#slots.fill(NONE);
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2).fill(NONE);
    const mask = slots.length - 1;
    const firstColumn = this.first.array;
    const secondColumn = this.second.array;
    const length = this.first.length;
    for (let row = 0; row < length; row++) {
      let slot = hashPair(firstColumn[row], secondColumn[row]) & mask;
      while (slots[slot] !== NONE) slot = (slot + 1) & mask;
      slots[slot] = row;
    }
    this.#slots = slots;
  }
}

/** Multiplies by odd constants of high entropy and folds the upper bits, which vary most, down. */
function hashPair(first: number, second: number): number {
  const mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 7;
}
