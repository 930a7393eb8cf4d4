import { NONE } from '../../base/brand.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import { StackTableBuilder } from '../../profile/stack-table.ts';
import type { Profile } from '../../profile/types.ts';
import { foldNative, IDLE_THREADS } from './fold-native.ts';
import { foldOwn } from './fold-own.ts';
import { classifyFuncs, type FrameClass } from './frame-class.ts';
import { KindFrames } from './kind-frames.ts';
import type { StackFold } from './stack-fold.ts';
import { isPoolThread } from './worker-names.ts';

/**
 * The profile at a level: samples, weights and threads stay, and each sample's stack is folded by itself.
 * Stacks of processes without V8 stay as they are. Rows of strings, functions and frames keep their
 * numbers, also from level to level; those of kinds come behind them.
 */
export function foldToLevel(profile: Profile, level: FrameLevel): Profile {
  if (level === 'all') return profile;
  const { isFolded, classes } = findRuntime(profile);
  const javascript = refold(profile, isFolded, classes, foldNative);
  if (level === 'javascript') return javascript;
  return refold(javascript, isFolded, classifyFuncs(javascript), foldOwn);
}

/** The profile with the functions and frames that any level needs, so that a fold adds no rows. */
export function withKinds(profile: Profile): Profile {
  const { strings, funcs, frames } = foldToLevel(profile, 'own');
  return { ...profile, strings, funcs, frames };
}

/** By sample, 1: its process runs V8. */
function findRuntime(profile: Profile): { isFolded: Uint8Array; classes: FrameClass[] } {
  const { samples, stacks, frames, threads } = profile;
  const classes = classifyFuncs(profile);
  const isRuntime = Uint8Array.from(classes, ({ is }) =>
    is === 'script' || is === 'native' || is === 'binary' ? 1 : 0,
  );
  const hasRuntime = new Uint8Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    const isOfCaller = prefix !== NONE && hasRuntime[prefix] === 1;
    hasRuntime[row] = isOfCaller ? 1 : isRuntime[frames.func[stacks.frame[row]]];
  }
  const pids = new Set<number>();
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack !== NONE && hasRuntime[stack] === 1) pids.add(threads[samples.thread[i]].pid);
  }
  const isFolded = samples.thread.map((thread) => (pids.has(threads[thread].pid) ? 1 : 0));
  return { isFolded: Uint8Array.from(isFolded), classes };
}

function refold(
  profile: Profile,
  isFolded: Uint8Array,
  classes: readonly FrameClass[],
  fold: StackFold,
): Profile {
  const { samples, stacks, lostStack } = profile;
  const wanted = new Uint8Array(stacks.length);
  const isKept = new Uint8Array(stacks.length);
  if (lostStack !== NONE) isKept[lostStack] = 1;
  for (let i = 0; i < samples.length; i++) {
    const stack = samples.stack[i];
    if (stack !== NONE) (isFolded[i] === 1 ? wanted : isKept)[stack] = 1;
  }
  const builder = new StackTableBuilder();
  const kinds = new KindFrames(profile);
  const { newStack, isCutSleep } = fold({ profile, classes, builder, kinds, wanted });
  const kept = keepStacks(profile, builder, isKept);
  const isPool = profile.threads.map(({ comm }) => isPoolThread(comm));
  const stack = samples.stack.map((row, i) => {
    if (row === NONE) return NONE;
    if (isFolded[i] === 0) return kept[row];
    if (isCutSleep?.[row] !== 1 || !isPool[samples.thread[i]]) return newStack[row];
    return builder.intern(NONE, kinds.intern(IDLE_THREADS, 'node internal'));
  });
  return {
    ...profile,
    ...kinds.tables(),
    stacks: builder.finish(),
    samples: { ...samples, stack },
    lostStack: (lostStack === NONE ? NONE : kept[lostStack]) as Profile['lostStack'],
  };
}

/** The new rows of stacks that stay as they are: those with 1 in `isKept`, which gets their callers too. */
function keepStacks(
  { stacks }: Profile,
  builder: StackTableBuilder,
  isKept: Uint8Array,
): Int32Array {
  for (let row = stacks.length - 1; row >= 0; row--) {
    const prefix = stacks.prefix[row];
    if (isKept[row] === 1 && prefix !== NONE) isKept[prefix] = 1;
  }
  const kept = new Int32Array(stacks.length).fill(NONE);
  for (let row = 0; row < stacks.length; row++) {
    if (isKept[row] === 0) continue;
    const prefix = stacks.prefix[row];
    kept[row] = builder.intern(prefix === NONE ? NONE : kept[prefix], stacks.frame[row]);
  }
  return kept;
}
