import { NONE } from '../../../base/brand.ts';
import { eachSlice, type Slices } from '../../../base/slices.ts';
import { StackTableBuilder } from '../../stack-table.ts';
import type { Profile, StackTable } from '../../types.ts';
import { flagPassing } from './pass-through.ts';

/**
 * A change of all stacks.
 *
 *     hide    samples with such a frame are left out
 *     focus   only samples with such a frame; their stacks begin at the outermost one
 *     merge   such frames are taken out: what was spent in them counts for their callers
 *
 * A function that passes calls on (`flagPassing`) is merged as it is in the profile, whatever was edited before. Recursion is merged from the outermost frame of a function to its innermost one, with all that
 * lies between: a → b → a → c becomes a → c.
 */
export type FrameEdit =
  | { readonly action: 'hide' | 'focus' | 'merge'; readonly of: 'func'; readonly func: number }
  | { readonly action: 'hide' | 'focus' | 'merge'; readonly of: 'dso'; readonly dso: number }
  | { readonly action: 'merge'; readonly of: 'recursion' }
  | { readonly action: 'merge'; readonly of: 'passing' };

export type EditedStacks = {
  /** Samples that are left out have no stack. What was lost stays, unless it was focused away. */
  readonly profile: Profile;
  /** Per sample; null: none is left out. */
  readonly isLeftOut: Uint8Array | null;
};

/** Entry in columns of new stacks for stacks whose samples are left out. */
const LEFT_OUT = -2;

/** Applies `edits` one after the other. An edit is one look at all stacks, and one slice. */
export function* editStacks(profile: Profile, edits: readonly FrameEdit[]): Slices<EditedStacks> {
  if (edits.length === 0) return { profile, isLeftOut: null };
  let stacks = profile.stacks;
  // The row in `stacks` by stack of the profile, −1 if nothing is left of it.
  let current: Int32Array | null = null;
  // The stack of samples that never had a frame.
  let ofNothing: number = NONE;
  for (const edit of edits) {
    const step = applyEdit(profile, stacks, edit);
    stacks = step.stacks;
    // A stack without frames has none in focus.
    const isFocus = edit.action === 'focus';
    if (isFocus) ofNothing = LEFT_OUT;
    current =
      current === null ? step.newStack : compose(current, step.newStack, isFocus ? LEFT_OUT : NONE);
    yield;
  }
  return yield* replaceStacks(profile, stacks, current as Int32Array, ofNothing);
}

type EditStep = { readonly stacks: StackTable; readonly newStack: Int32Array };

function applyEdit(profile: Profile, stacks: StackTable, edit: FrameEdit): EditStep {
  if (edit.of === 'recursion') return mergeRecursion(profile.frames.func, stacks);
  if (edit.of === 'passing') {
    const isPassing = flagPassing(profile);
    return merge(
      profile.frames.func.map((func) => isPassing[func]),
      stacks,
    );
  }
  const isMeant =
    edit.of === 'func'
      ? flagEqual(profile.frames.func, edit.func)
      : flagEqual(dsoOfFrames(profile), edit.dso);
  switch (edit.action) {
    case 'hide':
      return hide(isMeant, stacks);
    case 'focus':
      return focus(isMeant, stacks);
    case 'merge':
      return merge(isMeant, stacks);
  }
}

/** The DSO of each frame's function; of what states something of the frames below it, none. */
function dsoOfFrames({ frames, funcs }: Profile): Int32Array {
  return frames.dso.map((dso, frame) => (dso === NONE ? NONE : funcs.dso[frames.func[frame]]));
}

function flagEqual(column: Int32Array, value: number): Uint8Array {
  const flags = new Uint8Array(column.length);
  for (let i = 0; i < column.length; i++) if (column[i] === value) flags[i] = 1;
  return flags;
}

// Hot: once per stack row; so are the next three. Prefixes come first, so theirs are known.
function hide(isMeant: Uint8Array, stacks: StackTable): EditStep {
  const { frame, prefix, length } = stacks;
  const newStack = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    const caller = prefix[row];
    const goes = isMeant[frame[row]] === 1;
    const callerGoes = caller !== NONE && newStack[caller] === LEFT_OUT;
    newStack[row] = goes || callerGoes ? LEFT_OUT : row;
  }
  return { stacks, newStack };
}

function focus(isMeant: Uint8Array, stacks: StackTable): EditStep {
  const { frame, prefix, length } = stacks;
  const builder = new StackTableBuilder();
  const newStack = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    const caller = prefix[row];
    const newCaller = caller === NONE ? LEFT_OUT : newStack[caller];
    if (newCaller >= 0) newStack[row] = builder.intern(newCaller, frame[row]);
    else if (isMeant[frame[row]] === 0) newStack[row] = LEFT_OUT;
    else newStack[row] = builder.intern(NONE, frame[row]);
  }
  return { stacks: builder.finish(), newStack };
}

function merge(isMeant: ArrayLike<number>, stacks: StackTable): EditStep {
  const { frame, prefix, length } = stacks;
  const builder = new StackTableBuilder();
  const newStack = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    const caller = prefix[row];
    const newCaller = caller === NONE ? NONE : newStack[caller];
    const goes = isMeant[frame[row]] === 1;
    newStack[row] = goes ? newCaller : builder.intern(newCaller, frame[row]);
  }
  return { stacks: builder.finish(), newStack };
}

function mergeRecursion(frameToFunc: Int32Array, stacks: StackTable): EditStep {
  const { frame, prefix, length } = stacks;
  const builder = new StackTableBuilder();
  const newStack = new Int32Array(length);
  // The caller's row by new row; the builder keeps its own to itself.
  const newPrefix = new Int32Array(length);
  for (let row = 0; row < length; row++) {
    const caller = prefix[row];
    const newCaller = caller === NONE ? NONE : newStack[caller];
    const func = frameToFunc[frame[row]];
    let above = newCaller;
    while (above !== NONE && frameToFunc[builder.frame(above)] !== func) {
      above = newPrefix[above];
    }
    if (above === NONE) {
      above = builder.intern(newCaller, frame[row]);
      newPrefix[above] = newCaller;
    }
    newStack[row] = above;
  }
  return { stacks: builder.finish(), newStack };
}

/** `ofNothing`: what the second step makes of stacks of which the first left nothing. */
function compose(first: Int32Array, second: Int32Array, ofNothing: number): Int32Array {
  return first.map((row) => {
    if (row === NONE) return ofNothing;
    return row === LEFT_OUT ? LEFT_OUT : second[row];
  });
}

// Hot: once per sample.
function* replaceStacks(
  profile: Profile,
  stacks: StackTable,
  newStack: Int32Array,
  ofNothing: number,
): Slices<EditedStacks> {
  const { samples, lostStack } = profile;
  const stack = new Int32Array(samples.length);
  const isLeftOut = new Uint8Array(samples.length);
  let leftOut = 0;
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      const old = samples.stack[i];
      const row = old === NONE ? ofNothing : newStack[old];
      stack[i] = row === LEFT_OUT ? NONE : row;
      if (row !== LEFT_OUT) continue;
      isLeftOut[i] = 1;
      leftOut++;
    }
  });
  const lost = lostStack === NONE ? NONE : newStack[lostStack];
  return {
    profile: {
      ...profile,
      stacks,
      samples: { ...samples, stack },
      lostStack: (lost < 0 ? NONE : lost) as Profile['lostStack'],
    },
    isLeftOut: leftOut > 0 ? isLeftOut : null,
  };
}
