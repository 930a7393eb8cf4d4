import { NONE } from '../base/brand.ts';
import type { FrameTable, SampleTable, StackTable } from './types.ts';

/** Where samples were taken, by rows of the sample table; −1 without a stack. */
export type SamplePlaces = {
  /** Row of the function that the sample lies in. */
  readonly func: Int32Array;
  /** Row of its stack; without callers, of its instruction. */
  readonly stack: Int32Array;
};

/** The function and the stack of every sample. */
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
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack !== NONE) func[i] = frames.func[stacks.frame[stack]];
  }
  return { func, stack: samples.stack };
}
