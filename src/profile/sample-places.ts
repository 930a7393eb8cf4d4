import { NONE } from '../base/brand.ts';
import type { IntColumn } from '../base/int-column.ts';
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
  readonly stack: IntColumn;
  /**
   * Row of the stack outside the kernel that its innermost frame was called from; −1 without one. Of a
   * probe, which lies in one place itself, this is what differs from sample to sample.
   */
  readonly caller: Int32Array;
};

/** The function, the stack and its callers, of every sample. */
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
  const caller = new Int32Array(samples.length).fill(NONE);
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack === NONE) continue;
    const above = stacks.prefix[stack];
    if (above !== NONE) caller[i] = outside[above];
    const at = outside[stack] === NONE ? stack : outside[stack];
    func[i] = frames.func[stacks.frame[at]];
  }
  return { func, stack: samples.stack, caller };
}

const KERNEL = FUNC_CATEGORIES.indexOf('kernel');

/** By stack, the innermost one outside the kernel on its path; −1 where all of it is the kernel's. */
function outsideTheKernel(
  { length, frame, prefix }: Pick<StackTable, 'length' | 'frame' | 'prefix'>,
  frames: Pick<FrameTable, 'func'>,
  funcs: Pick<FuncTable, 'category'>,
): Int32Array {
  const outside = new Int32Array(length).fill(NONE);
  for (let stack = 0; stack < length; stack++) {
    if (funcs.category[frames.func[frame[stack]]] !== KERNEL) outside[stack] = stack;
    else if (prefix[stack] !== NONE) outside[stack] = outside[prefix[stack]];
  }
  return outside;
}
