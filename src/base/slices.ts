/**
 * Work that can be put aside: it yields after each piece of some milliseconds and returns what came
 * out. Whoever runs it may do something else in between, or never go on. Who can't wait calls
 * `finish(compute(…))`; there is no second, synchronous function.
 */
export type Slices<Result> = Generator<void, Result, void>;

/** Items after which a loop over samples yields: some milliseconds of even the dearest of them. */
export const SLICE_ITEMS = 2 ** 14;

/** Looks at items 0 … `length` − 1, `SLICE_ITEMS` at a time: `first` … `end` − 1. */
export function* eachSlice(
  length: number,
  look: (first: number, end: number) => void,
): Slices<void> {
  for (let first = 0; first < length; first += SLICE_ITEMS) {
    look(first, Math.min(length, first + SLICE_ITEMS));
    yield;
  }
}

/** Called by `finish` after each piece; null: nobody follows. */
let onPiece: (() => void) | null = null;

/**
 * Lets `look` hear of each piece of all work that `finish` runs, which nothing else can interrupt: a
 * command shows by it that it still computes. It has to be short; null ends it.
 */
export function followPieces(look: (() => void) | null): void {
  onPiece = look;
}

/** Runs `work` to its end, without a break. */
export function finish<Result>(work: Slices<Result>): Result {
  let step = work.next();
  while (step.done !== true) {
    onPiece?.();
    step = work.next();
  }
  return step.value;
}

/**
 * A value that is computed once, by whoever needs it first. If that one is interrupted, the next
 * one goes on from there.
 */
export class ComputedOnce<Value> {
  readonly #start: () => Slices<Value>;
  #work: Slices<Value> | null = null;
  #result: { readonly value: Value } | null = null;

  constructor(start: () => Slices<Value>) {
    this.#start = start;
  }

  *get(): Slices<Value> {
    while (this.#result === null) {
      this.#work ??= this.#start();
      let step: IteratorResult<void, Value>;
      try {
        step = this.#work.next();
      } catch (error) {
        // A generator that has thrown says nothing any more; the next one is to hear why, too.
        this.#work = null;
        throw error;
      }
      if (step.done === true) {
        this.#result = { value: step.value };
        this.#work = null;
      } else {
        yield;
      }
    }
    return this.#result.value;
  }
}
