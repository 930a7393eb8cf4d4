import { formatShort, roundStep } from '../../../src/base/numbers.ts';

export type ValueTick = { readonly y: number; readonly text: string };

/** A y axis: values from `least` at the pixel `bottom` to `most` at `top`. */
export class ValueScale {
  readonly top: number;
  readonly bottom: number;
  readonly #least: number;
  readonly #most: number;
  readonly #isLog: boolean;

  private constructor(
    top: number,
    bottom: number,
    ends: readonly [number, number],
    isLog: boolean,
  ) {
    this.top = top;
    this.bottom = bottom;
    [this.#least, this.#most] = ends;
    this.#isLog = isLog;
  }

  /** A scale from 0 to a little above the largest value. */
  static linear(top: number, bottom: number, values: Iterable<number>): ValueScale {
    const [, largest] = extremes(values);
    return new ValueScale(top, bottom, [0, Math.max(1, largest * 1.1)], false);
  }

  /** Whole powers of ten around the values that have a logarithm; never a single power. */
  static logarithmic(top: number, bottom: number, values: Iterable<number>): ValueScale {
    const [smallest, largest] = extremes(values);
    const first = powerBelow(smallest);
    const last = Math.max(first + 1, -powerBelow(1 / largest));
    return new ValueScale(top, bottom, [first, last], true);
  }

  yOf(value: number): number {
    const at = this.#isLog ? Math.log10(value) : value;
    return this.bottom - ((at - this.#least) / (this.#most - this.#least)) * this.#height;
  }

  /** Round values at least `gap` pixels apart. */
  ticks(gap: number): ValueTick[] {
    const most = Math.max(1, Math.floor(this.#height / gap));
    const span = this.#most - this.#least;
    const step = this.#isLog ? Math.ceil(span / most) : roundStep(span / most);
    const count = Math.floor(span / step + 1e-9);
    return Array.from({ length: count + 1 }, (_, index) => {
      const at = this.#least + index * step;
      const value = this.#isLog ? 10 ** at : at;
      return { y: this.yOf(value), text: formatShort(value, 3) };
    });
  }

  get #height(): number {
    return this.bottom - this.top;
  }
}

/** The smallest and the largest of the values above 0; 1 where there are none. */
function extremes(values: Iterable<number>): [number, number] {
  let [smallest, largest] = [Number.POSITIVE_INFINITY, 0];
  for (const value of values) {
    if (!(value > 0)) continue;
    smallest = Math.min(smallest, value);
    largest = Math.max(largest, value);
  }
  return largest > 0 ? [smallest, largest] : [1, 1];
}

/** The exponent of the largest power of ten that is not above `value`. */
function powerBelow(value: number): number {
  return Math.floor(Math.log10(value) + 1e-9);
}
