import { NONE } from '../../base/brand.ts';
import type { Profile, Weights } from '../types.ts';

/** Weight per instruction. Columns, by instruction. */
export type InstructionWeights = {
  /** Weight of the samples whose innermost frame is the function's, at the instruction. */
  readonly self: Float64Array;
  /** The same where a function that was inlined into it is innermost: no part of `self`. */
  readonly inlined: Float64Array;
  /** Weight of the samples with a frame of the function at the instruction, each counted once. */
  readonly total: Float64Array;
  /** Samples that `self` and `inlined` are made of. */
  readonly samples: Float64Array;
  /** Self weight of the function's frames at no instruction. */
  readonly selfElsewhere: number;
};

/**
 * What `samples` spent at each of `count` instructions of `func`. `frameToInstruction` has, by row of
 * the frame table, the instruction that the frame's lookup address lies in, −1 for none; of other
 * functions' frames it is not asked.
 *
 * A call that was inlined is a frame of its own at the address of the function that it is in:
 *
 *     main 0x40  ─  work 0x1c  ─  (inlined) mix 0x1c        self of mix, inlined in work
 */
export function computeInstructionWeights(
  { samples: table, stacks, frames }: Profile,
  weights: Weights,
  samples: Int32Array,
  func: number,
  frameToInstruction: Int32Array,
  count: number,
): InstructionWeights {
  const stackSelf = new Float64Array(stacks.length);
  const stackSamples = new Float64Array(stacks.length);
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const stack = table.stack[sample];
    if (stack === NONE) continue;
    stackSelf[stack] = stackSelf[stack] + weights.values[sample];
    stackSamples[stack] = stackSamples[stack] + 1;
  }
  const self = new Float64Array(count);
  const inlined = new Float64Array(count);
  const total = new Float64Array(count);
  const sampleCount = new Float64Array(count);
  // The stack that last added to each instruction: one that recurs counts once.
  const countedBy = new Int32Array(count).fill(NONE);
  let selfElsewhere = 0;
  // Hot: once per frame of each stack with samples of its own.
  for (let stack = 0; stack < stacks.length; stack++) {
    if (stackSamples[stack] === 0) continue;
    const weight = stackSelf[stack];
    const leaf = stacks.frame[stack];
    // Whether the frame at hand is at the sample's own instruction.
    let isAtLeaf = true;
    for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
      const frame = stacks.frame[row];
      isAtLeaf =
        isAtLeaf &&
        frames.address[frame] === frames.address[leaf] &&
        frames.dso[frame] === frames.dso[leaf];
      if (frames.func[frame] === func) {
        const at = frameToInstruction[frame];
        if (at === NONE) {
          if (row === stack) selfElsewhere += weight;
        } else {
          if (countedBy[at] !== stack) {
            countedBy[at] = stack;
            total[at] = total[at] + weight;
            if (isAtLeaf) {
              const column = row === stack ? self : inlined;
              column[at] = column[at] + weight;
              sampleCount[at] = sampleCount[at] + stackSamples[stack];
            }
          }
        }
      }
      // Physical frames end with inline depth 0.
      if (frames.inlineDepth[frame] === 0) isAtLeaf = false;
    }
  }
  return { self, inlined, total, samples: sampleCount, selfElsewhere };
}
