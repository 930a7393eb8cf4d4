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
  { samples: table, stacks, frames }: Profile,
  weights: Weights,
  samples: Int32Array,
  file: number,
  func: number,
): SourceLines {
  const stackSelf = new Float64Array(stacks.length);
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const stack = table.stack[sample];
    if (stack === NONE) continue;
    stackSelf[stack] = stackSelf[stack] + weights.values[sample];
  }
  const frameToLine = new Int32Array(frames.length);
  for (let frame = 0; frame < frames.length; frame++) {
    if (frames.file[frame] !== file) continue;
    if (func !== NONE && frames.func[frame] !== func) continue;
    frameToLine[frame] = frames.line[frame];
  }
  // A file may say that it has billions of lines: they are numbered by those that frames are in, from 1.
  const lines = [...new Set(frameToLine)].filter((line) => line > 0).sort((a, b) => a - b);
  const rankOfLine = new Map(lines.map((line, rank) => [line, rank + 1]));
  const frameToRank = frameToLine.map((line) => rankOfLine.get(line) ?? 0);
  const self = new Float64Array(lines.length + 1);
  const total = new Float64Array(lines.length + 1);
  // The stack that last added to each line: a line that recurs counts once.
  const countedBy = new Int32Array(lines.length + 1).fill(NONE);
  let withoutLine = 0;
  // Hot: once per frame of each stack with samples of its own.
  for (let stack = 0; stack < stacks.length; stack++) {
    const weight = stackSelf[stack];
    if (weight === 0) continue;
    const innermost = stacks.frame[stack];
    const rank = frameToRank[innermost];
    if (rank > 0) self[rank] = self[rank] + weight;
    else if (func !== NONE && frames.func[innermost] === func) withoutLine += weight;
    for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
      const here = frameToRank[stacks.frame[row]];
      if (here === 0 || countedBy[here] === stack) continue;
      countedBy[here] = stack;
      total[here] = total[here] + weight;
    }
  }
  const ranks = [...rankOfLine.values()].filter((rank) => total[rank] > 0);
  return {
    line: Int32Array.from(ranks, (rank) => lines[rank - 1]),
    self: Float64Array.from(ranks, (rank) => self[rank]),
    total: Float64Array.from(ranks, (rank) => total[rank]),
    withoutLine,
  };
}
