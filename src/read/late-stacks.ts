import { GrowableInt32 } from '../base/growable-columns.ts';

/**
 * Stacks of samples that were in the table before the user part of their callchain came. Until then,
 * or if it never comes, the table has the stack of the kernel part.
 */
export class LateStacks {
  readonly #rows = new GrowableInt32();
  readonly #stacks = new GrowableInt32();

  /** `rows` samples from `row` on have this stack. */
  add(row: number, rows: number, stack: number): void {
    for (let i = 0; i < rows; i++) {
      this.#rows.push(row + i);
      this.#stacks.push(stack);
    }
  }

  /** Puts the stacks into the finished column of the sample table. */
  fill(stack: Int32Array): void {
    const rows = this.#rows.array;
    const stacks = this.#stacks.array;
    for (let i = 0; i < this.#rows.length; i++) stack[rows[i]] = stacks[i];
  }

  forget(): void {
    this.#rows.length = 0;
    this.#stacks.length = 0;
  }
}
