import { NONE } from '../base/brand.ts';
import { totalsOfFrames, weightsOfStacks } from '../profile/analysis/weight-sums.ts';
import type { Asked } from './shares-by-key.ts';

/** Weight per instruction. Columns, by instruction. */
export type InstructionWeights = {
  /** Weight of the samples whose innermost frame is the function's, at the instruction. */
  readonly self: Float64Array;
  /** Weight of the samples at the instruction whose innermost frame is inlined into the function: no part of `self`. */
  readonly inlined: Float64Array;
  /** Weight of the samples with a frame of the function at the instruction, each counted once. */
  readonly total: Float64Array;
  /** Samples that `self` and `inlined` are made of. */
  readonly samples: Float64Array;
  /** Self weight of the function's frames at no instruction. */
  readonly selfElsewhere: number;
};

/** The instruction that each of some rows of the frame table lies in: 0 … `count` − 1, or −1 for none. */
export type FramePlaces = {
  readonly frames: ArrayLike<number>;
  readonly instructions: ArrayLike<number>;
  readonly count: number;
};

/**
 * Computes what was spent at each instruction of `func`; frames of other functions are left out.
 *
 * A call that was inlined is a frame of its own at the address of the function that it is in:
 *
 *     main 0x40  ─  work 0x1c  ─  (inlined) mix 0x1c        self of mix, inlined in work
 */
export function findInstructions(
  { profile, weights, rows }: Omit<Asked, 'estimator'>,
  func: number,
  { frames: placed, instructions, count }: FramePlaces,
): InstructionWeights {
  const { stacks, frames } = profile;
  const instructionOf = new Int32Array(frames.length).fill(NONE);
  for (let i = 0; i < placed.length; i++) {
    const at = instructions[i];
    if (at < count && frames.func[placed[i]] === func) instructionOf[placed[i]] = at;
  }
  const stackWeights = weightsOfStacks(profile, weights, rows);
  const atOfStack = new Int32Array(stacks.length).fill(NONE);
  const self = new Float64Array(count);
  const inlined = new Float64Array(count);
  let selfElsewhere = 0;
  // Hot: once per frame at the address of each stack's innermost one.
  for (let stack = 0; stack < stacks.length; stack++) {
    const leaf = stacks.frame[stack];
    for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
      const frame = stacks.frame[row];
      if (frames.address[frame] !== frames.address[leaf]) break;
      if (frames.dso[frame] !== frames.dso[leaf]) break;
      const at = instructionOf[frame];
      if (at !== NONE) {
        const column = row === stack ? self : inlined;
        column[at] = column[at] + stackWeights[stack];
        atOfStack[stack] = at;
        break;
      }
      if (row === stack && frames.func[frame] === func) selfElsewhere += stackWeights[stack];
      // Physical frames end with inline depth 0.
      if (frames.inlineDepth[frame] === 0) break;
    }
  }
  const samples = new Float64Array(count);
  // Hot: once per sample.
  for (let i = 0; i < rows.length; i++) {
    const stack = profile.samples.stack[rows[i]];
    const at = stack === NONE ? NONE : atOfStack[stack];
    if (at !== NONE) samples[at] = samples[at] + 1;
  }
  const total = totalsOfFrames(profile, stackWeights, instructionOf, count);
  return { self, inlined, total, samples, selfElsewhere };
}
