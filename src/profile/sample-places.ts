import { NONE } from '../base/brand.ts';
import type { IntColumn } from '../base/int-column.ts';
import { lookUpNarrow } from '../base/narrow-column.ts';
import { once } from '../base/once.ts';
import {
  type FrameTable,
  FUNC_CATEGORIES,
  type FuncTable,
  type SampleTable,
  type StackTable,
} from './types.ts';

/** Places of samples, by rows of the sample table; −1 without a stack. */
export type SamplePlaces = {
  /**
   * Row of the function that was at work: the innermost outside the kernel where the stack has one.
   * A tracepoint's samples are all in one function of the kernel.
   */
  readonly func: IntColumn;
  /** Row of its stack; without callers, of its instruction. */
  readonly stack: IntColumn;
  /**
   * Row of the stack outside the kernel that its innermost frame was called from; −1 without one. Of a
   * probe, which lies in one place itself, this is what differs from sample to sample.
   */
  readonly caller: IntColumn;
};

/** Input from which the places of samples are computed. */
type PlacedSamples = {
  readonly samples: Pick<SampleTable, 'length' | 'stack'>;
  readonly stacks: Pick<StackTable, 'length' | 'frame' | 'prefix'>;
  readonly frames: Pick<FrameTable, 'func'>;
  readonly funcs: Pick<FuncTable, 'length' | 'category'>;
};

/** The function, the stack and its callers, of every sample: columns that are computed once they are asked for. */
export function placesOfSamples({ samples, stacks, frames, funcs }: PlacedSamples): SamplePlaces {
  const outside = once(() => outsideTheKernel(stacks, frames, funcs));
  const func = once(() => {
    const ofStack = outside().map((at, stack) => {
      return frames.func[stacks.frame[at === NONE ? stack : at]];
    });
    return lookUpNarrow(samples.stack, ofStack, funcs.length);
  });
  const caller = once(() => {
    const ofStack = stacks.prefix.map((above) => (above === NONE ? NONE : outside()[above]));
    return lookUpNarrow(samples.stack, ofStack, stacks.length);
  });
  return {
    stack: samples.stack,
    get func() {
      return func();
    },
    get caller() {
      return caller();
    },
  };
}

const KERNEL = FUNC_CATEGORIES.indexOf('kernel');

/** The innermost stack outside the kernel on each stack's path; −1 where all of it is the kernel's. */
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
