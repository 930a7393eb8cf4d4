import { NONE } from '../base/brand.ts';
import type { FrameTable, SampleTable, StackTable } from './types.ts';

/** Where samples were taken, by rows of the sample table; −1 without a stack. */
export type SamplePlaces = {
  /** Row of the function that the sample lies in. */
  readonly func: Int32Array;
  /** Row of its innermost frame: its instruction. */
  readonly instruction: Int32Array;
};

/** The innermost frame of every sample, and its function. */
// Hot: once per sample.
export function placesOfSamples({
  samples,
  stacks,
  frames,
}: {
  readonly samples: Pick<SampleTable, 'length' | 'stack'>;
  readonly stacks: Pick<StackTable, 'frame'>;
  readonly frames: Pick<FrameTable, 'func'>;
}): SamplePlaces {
  const func = new Int32Array(samples.length).fill(NONE);
  const instruction = new Int32Array(samples.length).fill(NONE);
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack === NONE) continue;
    const frame = stacks.frame[stack];
    instruction[i] = frame;
    func[i] = frames.func[frame];
  }
  return { func, instruction };
}
