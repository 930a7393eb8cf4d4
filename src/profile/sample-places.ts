import { NONE } from '../base/brand.ts';
import {
  type FrameTable,
  FUNC_CATEGORIES,
  type FuncTable,
  type SampleTable,
  type StackTable,
} from './types.ts';

/** Where samples were taken, by rows of the sample table; −1 without a stack. */
export type SamplePlaces = {
  /**
   * Row of the function that was at work: the innermost outside the kernel where the stack has one.
   * A tracepoint's samples are all in one function of the kernel.
   */
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
  funcs,
}: {
  readonly samples: Pick<SampleTable, 'length' | 'stack'>;
  readonly stacks: Pick<StackTable, 'length' | 'frame' | 'prefix'>;
  readonly frames: Pick<FrameTable, 'func'>;
  readonly funcs: Pick<FuncTable, 'category'>;
}): SamplePlaces {
  const outside = outsideTheKernel(stacks, frames, funcs);
  const func = new Int32Array(samples.length).fill(NONE);
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack === NONE) continue;
    func[i] = outside[stack] === NONE ? frames.func[stacks.frame[stack]] : outside[stack];
  }
  return { func, stack: samples.stack };
}

const KERNEL = FUNC_CATEGORIES.indexOf('kernel');

/** By stack, its innermost function outside the kernel; −1 where all of it is the kernel's. */
function outsideTheKernel(
  { length, frame, prefix }: Pick<StackTable, 'length' | 'frame' | 'prefix'>,
  frames: Pick<FrameTable, 'func'>,
  funcs: Pick<FuncTable, 'category'>,
): Int32Array {
  const outside = new Int32Array(length).fill(NONE);
  for (let stack = 0; stack < length; stack++) {
    const func = frames.func[frame[stack]];
    if (funcs.category[func] !== KERNEL) outside[stack] = func;
    else if (prefix[stack] !== NONE) outside[stack] = outside[prefix[stack]];
  }
  return outside;
}
