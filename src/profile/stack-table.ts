import { NONE } from '../base/brand.ts';
import { GrowableInt32 } from '../base/growable-columns.ts';
import { PairInterner } from '../base/pair-interner.ts';
import type { StackIndex, StackTable } from './types.ts';

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
  /** first = prefix, second = frame. */
  readonly #rows = new PairInterner();
  readonly #lastChild = new GrowableInt32();
  #lastRoot: number = NONE;

  get length(): number {
    return this.#rows.length;
  }

  /** `prefix` is −1 for the outermost frame. */
  // Hot: once per frame.
  intern(prefix: number, frame: number): StackIndex {
    const remembered = prefix === NONE ? this.#lastRoot : (this.#lastChild.array[prefix] as number);
    if (remembered !== NONE && this.#rows.second.array[remembered] === frame) {
      return remembered as StackIndex;
    }
    const row = this.#rows.intern(prefix, frame);
    if (row === this.#lastChild.length) this.#lastChild.push(NONE);
    if (prefix === NONE) this.#lastRoot = row;
    else this.#lastChild.array[prefix] = row;
    return row as StackIndex;
  }

  finish(): StackTable {
    return {
      length: this.length,
      frame: this.#rows.second.finish(),
      prefix: this.#rows.first.finish(),
    };
  }
}
