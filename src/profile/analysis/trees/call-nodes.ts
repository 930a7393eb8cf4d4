import { NONE } from '../../../base/brand.ts';
import { rowNumbers } from '../../../base/int-column.ts';
import { PairInterner } from '../../../base/pair-interner.ts';
import { eachSlice, type Slices } from '../../../base/slices.ts';
import type { Profile } from '../../types.ts';

/**
 * Stack rows grouped by function: two paths that differ only in where inside the functions they
 * were, are one call node.
 *
 *   stacks                          call nodes
 *    0  main+0x10                    0  main
 *    1  └ work+0x20                  1  └ work          stackToCallNode = [0, 1, 1]
 *    2  └ work+0x34
 *
 * Like stacks, parents come before children.
 */
export type CallNodeTable = {
  readonly length: number;
  /** The caller's call node, −1 at the root. Always smaller than the row's own index. */
  readonly prefix: Int32Array;
  /** FuncIndex, or whatever `funcToGroup` made of it. */
  readonly group: Int32Array;
  /** Call node of every stack row. */
  readonly stackToCallNode: Int32Array;
};

/**
 * Groups the stacks by function, or by anything that a function determines: with `funcToGroup`
 * (one value, 0 or more, per func) frames with equal values are taken for the same.
 */
export function* computeCallNodes(
  profile: Profile,
  funcToGroup?: Int32Array,
): Slices<CallNodeTable> {
  const { frame: stackFrame, prefix: stackPrefix, length } = profile.stacks;
  const frameToFunc = profile.frames.func;
  const groups = funcToGroup ?? rowNumbers(profile.funcs.length);
  const nodes = new PairInterner();
  const stackToCallNode = new Int32Array(length);
  // Hot: once per stack row.
  yield* eachSlice(length, (first, end) => {
    for (let stack = first; stack < end; stack++) {
      const prefix = stackPrefix[stack];
      const prefixNode = prefix === NONE ? NONE : stackToCallNode[prefix];
      const func = frameToFunc[stackFrame[stack]];
      stackToCallNode[stack] = nodes.intern(prefixNode, groups[func]);
    }
  });
  return {
    length: nodes.length,
    prefix: nodes.first.finish(),
    group: nodes.second.finish(),
    stackToCallNode,
  };
}

/**
 * Call nodes with inlined calls apart from calls of the same function: their group is the func plus the
 * number of funcs.
 */
export function computeCallNodesByInlining(profile: Profile): Slices<CallNodeTable> {
  const { frames, funcs } = profile;
  const func = frames.func.map((row, frame) => row + (isInlined(frame) ? funcs.length : 0));
  const grouped = { ...profile, frames: { ...frames, func } };
  return computeCallNodes(grouped, rowNumbers(2 * funcs.length));

  function isInlined(frame: number): boolean {
    // Frames without a DSO have the depth for other purposes.
    return frames.dso[frame] !== NONE && frames.inlineDepth[frame] > 0;
  }
}

/** The function of every sample's innermost frame, −1 for samples without a stack. */
export function innermostFuncs(profile: Profile): Int32Array {
  return ofStacks(profile, innermostFuncOfStacks(profile));
}

/** The function of every stack's innermost frame. */
export function innermostFuncOfStacks({ stacks, frames }: Profile): Int32Array {
  return stacks.frame.map((frame) => frames.func[frame]);
}

/**
 * Keys of the stacks of `samples`, by row of the sample table; −1 for samples without a stack, and for all
 * others.
 */
export function keysOfStacks(
  { samples: { stack, length } }: Profile,
  samples: Int32Array,
  keyOfStack: Int32Array,
): Int32Array {
  const keys = new Int32Array(length).fill(NONE);
  // Hot: once per sample.
  for (let i = 0; i < samples.length; i++) {
    const sample = samples[i];
    const row = stack[sample];
    if (row !== NONE) keys[sample] = keyOfStack[row];
  }
  return keys;
}

/** Every sample's innermost frame, −1 for samples without a stack. */
export function innermostFrames(profile: Profile): Int32Array {
  return ofStacks(profile, profile.stacks.frame);
}

/** The value of every sample's stack, −1 for samples without one. */
// Hot: once per sample.
function ofStacks({ samples: { stack, length } }: Profile, ofStack: Int32Array): Int32Array {
  const values = new Int32Array(length);
  for (let sample = 0; sample < length; sample++) {
    const row = stack[sample];
    values[sample] = row === NONE ? NONE : ofStack[row];
  }
  return values;
}
