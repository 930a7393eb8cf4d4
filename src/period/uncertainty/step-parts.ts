// Hot: once per sample.

import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { SLICE_ITEMS } from '../../base/slices.ts';
import type { StepColumns } from '../../profile/analysis/shares/share-steps.ts';

/** Shorter runs are copied: a part costs some hundred bytes, a copied step 16. */
export const SHORTEST_RUN = 64;

/**
 * Steps of one kind in the order in which they are added, with little memory of their own. Most lead from one
 * sample of a stream to the next one (or to the next but one), so that both of their columns are that stream's
 * rows, seen from two places:
 *
 *     rows of the stream    4  6  7  9  12  …        run of samples 2 … 4
 *     from                  └─────┴──┘               distance 2: rows 4 6 7
 *     to                          └──┴──┘                        rows 7 9 12
 *
 * The others are copied, one by one.
 */
export class StepParts {
  readonly #runs: (StepColumns & { readonly copiedBefore: number })[] = [];
  readonly #copied: StepList;

  constructor(copied: number) {
    this.#copied = new StepList(copied);
  }

  add(from: number, to: number, amount: number): void {
    this.#copied.add(from, to, amount);
  }

  /**
   * Steps to samples `first` … of a stream, one for each amount, from those `distance` before them. `rows` and
   * `amounts` must not change afterwards.
   */
  addRun(rows: Int32Array, first: number, distance: number, amounts: Float64Array): void {
    const { length } = amounts;
    if (length < SHORTEST_RUN) {
      for (let i = 0; i < length; i++) {
        this.#copied.add(rows[first + i - distance], rows[first + i], amounts[i]);
      }
      return;
    }
    this.#runs.push({
      copiedBefore: this.#copied.length,
      length,
      from: rows.subarray(first - distance, first - distance + length),
      to: rows.subarray(first, first + length),
      amount: amounts,
    });
  }

  finish(): StepColumns[] {
    const parts: StepColumns[] = [];
    let copied = 0;
    for (const { copiedBefore, ...run } of this.#runs) {
      if (copiedBefore > copied) parts.push(this.#copied.view(copied, copiedBefore));
      copied = copiedBefore;
      parts.push(run);
    }
    if (this.#copied.length > copied) parts.push(this.#copied.view(copied, this.#copied.length));
    return parts;
  }
}

/**
 * Keeps amounts of runs. With a fixed period and with clocks nearly all of them are the same number, which is
 * kept once.
 */
export class AmountKeeper {
  /** Filled with one number: the last that a run had alone. */
  #equal = new Float64Array(0);

  /** A copy of the first `length` of `amounts`, at most `SLICE_ITEMS`; or a view of others like them. */
  keep(amounts: Float64Array, length: number): Float64Array {
    const value = amounts[0];
    for (let i = 1; i < length; i++) if (amounts[i] !== value) return amounts.slice(0, length);
    if (length < SHORTEST_RUN) return amounts.slice(0, length);
    if (this.#equal[0] !== value) this.#equal = new Float64Array(SLICE_ITEMS).fill(value);
    return this.#equal.subarray(0, length);
  }
}

/** Columns with room for `capacity` steps, which grow where more are added. */
export class StepList {
  readonly #from: GrowableInt32;
  readonly #to: GrowableInt32;
  readonly #amount: GrowableFloat64;

  constructor(capacity: number) {
    // A column of no rows could not double.
    const rows = Math.max(1, capacity);
    this.#from = new GrowableInt32(rows);
    this.#to = new GrowableInt32(rows);
    this.#amount = new GrowableFloat64(rows);
  }

  get length(): number {
    return this.#amount.length;
  }

  add(from: number, to: number, amount: number): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#amount.push(amount);
  }

  /** Views of steps `first` … `end` − 1, of columns that are not to grow any more. */
  view(first: number, end: number): StepColumns {
    return {
      length: end - first,
      from: this.#from.array.subarray(first, end),
      to: this.#to.array.subarray(first, end),
      amount: this.#amount.array.subarray(first, end),
    };
  }

  /** Views of all that was reserved, which was little more than what is used. */
  finish(): StepColumns {
    return this.view(0, this.length);
  }
}
