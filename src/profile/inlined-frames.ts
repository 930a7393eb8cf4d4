import { NONE } from '../base/brand.ts';
import { GrowableInt32 } from '../base/growable-columns.ts';
import { StackTableBuilder } from './stack-table.ts';
import type { StackTable } from './types.ts';

/**
 * Which frames stand for several functions: frame `frame[i]`, which exists in machine code, has
 * `count[i]` calls inlined into it, whose frames are the rows from `first[i]`, the outermost call
 * first.
 */
export class InlinedFrames {
  readonly #frame = new GrowableInt32(64);
  readonly #first = new GrowableInt32(64);
  readonly #count = new GrowableInt32(64);

  get length(): number {
    return this.#frame.length;
  }

  /** One more call, inlined into the last one that was added to `frame`. Rows follow each other. */
  add(frame: number, row: number): void {
    const last = this.length - 1;
    if (last >= 0 && this.#frame.array[last] === frame) {
      this.#count.array[last] = this.#count.array[last] + 1;
      return;
    }
    this.#frame.push(frame);
    this.#first.push(row);
    this.#count.push(1);
  }

  /**
   * The stacks with a frame for each inlined call, and the new row of each old one:
   *
   *     main → work            ──▶   main → work → helper (inlined) → inner (inlined)
   */
  expand(stacks: StackTable, frameCount: number): { stacks: StackTable; newStack: Int32Array } {
    const rowOf = new Int32Array(frameCount).fill(NONE);
    for (let i = 0; i < this.length; i++) rowOf[this.#frame.array[i]] = i;
    const builder = new StackTableBuilder();
    const newStack = new Int32Array(stacks.length);
    // Hot: once per stack row. Prefixes come first, so theirs are known.
    for (let row = 0; row < stacks.length; row++) {
      const prefix = stacks.prefix[row];
      const frame = stacks.frame[row];
      let stack = builder.intern(prefix === NONE ? NONE : newStack[prefix], frame);
      const inlined = rowOf[frame];
      if (inlined !== NONE) {
        const first = this.#first.array[inlined];
        const end = first + this.#count.array[inlined];
        for (let inner = first; inner < end; inner++) stack = builder.intern(stack, inner);
      }
      newStack[row] = stack;
    }
    return { stacks: builder.finish(), newStack };
  }
}
