import { NONE } from '../../base/brand.ts';
import type { Profile, Weights } from '../types.ts';

/** Weight per line of one source file. Columns; lines ascend. */
export type SourceLines = {
  readonly line: Int32Array;
  /** Weight of the samples whose innermost frame is in the line. */
  readonly self: Float64Array;
  /** Weight of the samples with a frame in the line, each counted once. */
  readonly total: Float64Array;
  /** Self weight of the frames that are meant, but have no line. */
  readonly withoutLine: number;
};

/**
 * What was spent in the lines of `file` (a string index) by `samples`. `func` (−1: any) leaves only
 * frames of this function; only those without a line can be told to be of it, so `withoutLine` is 0
 * without `func`.
 */
export function computeSourceLines(
  profile: Profile,
  weights: Weights,
  samples: Int32Array,
  file: number,
  func: number,
): SourceLines {
  const { stacks, frames } = profile;
  const stackSelf = weightsOfStacks(profile, weights, samples);
  const frameToLine = new Int32Array(frames.length);
  for (let frame = 0; frame < frames.length; frame++) {
    if (frames.file[frame] !== file) continue;
    if (func !== NONE && frames.func[frame] !== func) continue;
    frameToLine[frame] = frames.line[frame];
  }
  // A file may say that it has billions of lines: they are numbered by those that frames are in.
  const lines = [...new Set(frameToLine)].filter((line) => line > 0).sort((a, b) => a - b);
  const rankOfLine = new Map(lines.map((line, rank) => [line, rank]));
  const frameToRank = frameToLine.map((line) => rankOfLine.get(line) ?? NONE);
  const self = new Float64Array(lines.length);
  let withoutLine = 0;
  // Hot: once per stack.
  for (let stack = 0; stack < stacks.length; stack++) {
    const weight = stackSelf[stack];
    if (weight === 0) continue;
    const innermost = stacks.frame[stack];
    const rank = frameToRank[innermost];
    if (rank !== NONE) self[rank] = self[rank] + weight;
    else if (func !== NONE && frames.func[innermost] === func) withoutLine += weight;
  }
  const total = totalsOfFrames(profile, stackSelf, frameToRank, lines.length);
  const ranks = [...rankOfLine.values()].filter((rank) => total[rank] > 0);
  return {
    line: Int32Array.from(ranks, (rank) => lines[rank]),
    self: Float64Array.from(ranks, (rank) => self[rank]),
    total: Float64Array.from(ranks, (rank) => total[rank]),
    withoutLine,
  };
}

/** Weight of the samples that have each stack, by StackIndex. */
export function weightsOfStacks(
  { samples: table, stacks }: Profile,
  weights: Weights,
  samples: Int32Array,
): Float64Array {
  const sums = new Float64Array(stacks.length);
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const stack = table.stack[samples[i]];
    if (stack !== NONE) sums[stack] = sums[stack] + weights.values[samples[i]];
  }
  return sums;
}

/**
 * Weight of the samples with a frame of each key anywhere on the stack. `keyOfFrame` has 0 … `keyCount` − 1, or −1 for
 * none; a key that recurs on a stack counts once.
 */
export function totalsOfFrames(
  { stacks }: Profile,
  stackWeights: Float64Array,
  keyOfFrame: Int32Array,
  keyCount: number,
): Float64Array {
  const totals = new Float64Array(keyCount);
  // The stack that last added to each key.
  const countedBy = new Int32Array(keyCount).fill(NONE);
  // Hot: once per frame of each stack with samples of its own.
  for (let stack = 0; stack < stacks.length; stack++) {
    const weight = stackWeights[stack];
    if (weight === 0) continue;
    for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
      const key = keyOfFrame[stacks.frame[row]];
      if (key === NONE || countedBy[key] === stack) continue;
      countedBy[key] = stack;
      totals[key] = totals[key] + weight;
    }
  }
  return totals;
}
