import { NONE } from '../base/brand.ts';
import { GrowableInt32 } from '../base/growable-columns.ts';
import type { Profile, StackTable } from './types.ts';

/**
 * Frames that stand for several functions: frame `frame[i]`, which exists in machine code, has
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
   *
   * Frames of machine code and of inlined calls are different rows, and those of a call belong to one
   * frame of machine code: so no two paths become one, and no path need be looked up.
   */
  expand(stacks: StackTable, frameCount: number): { stacks: StackTable; newStack: Int32Array } {
    const rowOf = new Int32Array(frameCount).fill(NONE);
    for (let i = 0; i < this.length; i++) rowOf[this.#frame.array[i]] = i;
    const firsts = this.#first.array;
    const counts = this.#count.array;
    let length = stacks.length;
    for (let row = 0; row < stacks.length; row++) {
      const inlined = rowOf[stacks.frame[row]];
      if (inlined !== NONE) length += counts[inlined];
    }
    const frame = new Int32Array(length);
    const prefix = new Int32Array(length);
    const newStack = new Int32Array(stacks.length);
    let end = 0;
    // Hot: once per stack row. Prefixes come first, so theirs are known.
    for (let row = 0; row < stacks.length; row++) {
      const caller = stacks.prefix[row];
      frame[end] = stacks.frame[row];
      prefix[end++] = caller === NONE ? NONE : newStack[caller];
      const inlined = rowOf[stacks.frame[row]];
      if (inlined !== NONE) {
        for (let call = 0; call < counts[inlined]; call++) {
          frame[end] = firsts[inlined] + call;
          prefix[end] = end - 1;
          end++;
        }
      }
      newStack[row] = end - 1;
    }
    return { stacks: { length, frame, prefix }, newStack };
  }
}

/** Whether the caller's row of a stack is the same place in machine code, one function further out. */
export function isInlinedInCaller(
  { frames, stacks }: Pick<Profile, 'frames' | 'stacks'>,
  row: number,
): boolean {
  const caller = stacks.prefix[row];
  if (caller === NONE) return false;
  const inner = stacks.frame[row];
  const outer = stacks.frame[caller];
  return (
    frames.inlineDepth[inner] === frames.inlineDepth[outer] + 1 &&
    frames.address[inner] === frames.address[outer] &&
    frames.dso[inner] === frames.dso[outer]
  );
}
