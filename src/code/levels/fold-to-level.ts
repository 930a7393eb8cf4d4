import { NONE } from '../../base/brand.ts';
import type { FrameLevel } from '../../profile/frame-level.ts';
import { StackTableBuilder } from '../../profile/stack-table.ts';
import type { Profile } from '../../profile/types.ts';
import { foldNative, IDLE_THREADS } from '../javascript/fold-native.ts';
import { foldOwn } from '../javascript/fold-own.ts';
import { classifyFuncs, type FrameClass } from '../javascript/frame-class.ts';
import { isPoolThread } from '../javascript/worker-names.ts';
import { foldLibraries } from '../native-frames/fold-libraries.ts';
import { foldStartUp } from '../native-frames/fold-start-up.ts';
import { KindFrames } from '../native-frames/kind-frames.ts';
import type { FoldedStacks, StackFoldInput } from '../native-frames/stack-fold.ts';

/** Pairs of a thread and a stack that are looked at one by one: 16 MiB. */
const MOST_PAIRS = 2 ** 24;

/**
 * The profile at a level: samples, weights and threads stay, and each sample's stack is folded by itself,
 * by the rules for its process: one with V8, or a native one. Rows of strings, functions and frames keep
 * their numbers, also from level to level; those of kinds come behind them.
 */
export function foldToLevel(profile: Profile, level: FrameLevel): Profile {
  if (level === 'all') return profile;
  if (level === 'main') {
    return refold(profile, {
      fold: foldStartUp,
      isOf: new Uint8Array(profile.samples.length).fill(1),
    });
  }
  const { hasV8, classes } = findRuntime(profile);
  const javascript = refold(
    profile,
    { fold: (input) => foldNative(input, classes), isOf: hasV8 },
    {
      fold: level === 'javascript' ? foldStartUp : foldLibraries,
      isOf: hasV8.map((has) => 1 - has),
    },
  );
  if (level === 'javascript' || !hasV8.includes(1)) return javascript;
  const ownClasses = classifyFuncs(javascript);
  return refold(javascript, { fold: (input) => foldOwn(input, ownClasses), isOf: hasV8 });
}

/** The profile with the functions and frames that any level needs, so that a fold adds no rows. */
export function withKinds(profile: Profile): Profile {
  const { strings, funcs, frames } = foldToLevel(oneOfEachPair(profile), 'own');
  return { ...profile, strings, funcs, frames };
}

/**
 * The first sample of each thread at each stack: a fold looks at nothing else of a sample. All samples where that
 * would need a large table. Other columns of the samples stay as they are.
 */
function oneOfEachPair(profile: Profile): Profile {
  const { samples, stacks, threads } = profile;
  if (stacks.length * threads.length > MOST_PAIRS) return profile;
  const isSeen = new Uint8Array(stacks.length * threads.length);
  const first: number[] = [];
  for (let i = 0; i < samples.length; i++) {
    if (samples.stack[i] === NONE) continue;
    const pair = samples.stack[i] * threads.length + samples.thread[i];
    if (isSeen[pair] === 1) continue;
    isSeen[pair] = 1;
    first.push(i);
  }
  const stack = Int32Array.from(first, (i) => samples.stack[i]);
  const thread = Int32Array.from(first, (i) => samples.thread[i]);
  return { ...profile, samples: { ...samples, length: first.length, stack, thread } };
}

/** `hasV8`: by sample, 1 where its process runs V8. */
function findRuntime(profile: Profile): { hasV8: Uint8Array; classes: FrameClass[] } {
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
  const isOfPid = Uint8Array.from(threads, ({ pid }) => (pids.has(pid) ? 1 : 0));
  const hasV8 = new Uint8Array(samples.length);
  for (let i = 0; i < samples.length; i++) hasV8[i] = isOfPid[samples.thread[i]];
  return { hasV8, classes };
}

/** A rule for stacks, and by sample 1 where it holds. */
type Part = { readonly fold: (input: StackFoldInput) => FoldedStacks; readonly isOf: Uint8Array };

/** The profile with the stacks of each part's samples folded; the stacks of all others stay. */
function refold(profile: Profile, ...parts: readonly Part[]): Profile {
  const { samples, lostStack } = profile;
  const builder = new StackTableBuilder();
  const kinds = new KindFrames(profile);
  const stack = new Int32Array(samples.length).fill(NONE);
  const isKept = new Uint8Array(samples.length).fill(1);
  for (const { fold, isOf } of parts) {
    const wanted = stacksOf(profile, isOf);
    if (!wanted.includes(1)) continue;
    const input = { profile, builder, kinds, wanted, isNeeded: withCallers(profile, wanted) };
    const { newStack, isCutSleep } = fold(input);
    const isPool = profile.threads.map(({ comm }) => isPoolThread(comm));
    for (let i = 0; i < samples.length; i++) {
      if (isOf[i] === 0) continue;
      isKept[i] = 0;
      const row = samples.stack[i];
      if (row === NONE) continue;
      const isIdle = isCutSleep?.[row] === 1 && isPool[samples.thread[i]];
      stack[i] = isIdle
        ? builder.intern(NONE, kinds.intern(IDLE_THREADS, 'node internal'))
        : newStack[row];
    }
  }
  const wanted = stacksOf(profile, isKept);
  if (lostStack !== NONE) wanted[lostStack] = 1;
  const kept = keepStacks(profile, builder, withCallers(profile, wanted));
  for (let i = 0; i < samples.length; i++) {
    if (isKept[i] === 1 && samples.stack[i] !== NONE) stack[i] = kept[samples.stack[i]];
  }
  return {
    ...profile,
    ...kinds.tables(),
    stacks: builder.finish(),
    samples: { ...samples, stack },
    lostStack: (lostStack === NONE ? NONE : kept[lostStack]) as Profile['lostStack'],
  };
}

/** A column by stack row, with 1 for those of the samples that have 1 in `isOf`. */
function stacksOf({ samples, stacks }: Profile, isOf: Uint8Array): Uint8Array {
  const wanted = new Uint8Array(stacks.length);
  for (let i = 0; i < samples.length; i++) {
    if (isOf[i] === 1 && samples.stack[i] !== NONE) wanted[samples.stack[i]] = 1;
  }
  return wanted;
}

/** The rows with 1 in `wanted`, and their callers. */
function withCallers({ stacks }: Profile, wanted: Uint8Array): Uint8Array {
  const isNeeded = wanted.slice();
  for (let row = stacks.length - 1; row >= 0; row--) {
    const prefix = stacks.prefix[row];
    if (isNeeded[row] === 1 && prefix !== NONE) isNeeded[prefix] = 1;
  }
  return isNeeded;
}

/** The new rows of stacks that stay as they are. */
function keepStacks(
  { stacks }: Profile,
  builder: StackTableBuilder,
  isKept: Uint8Array,
): Int32Array {
  const kept = new Int32Array(stacks.length).fill(NONE);
  for (let row = 0; row < stacks.length; row++) {
    if (isKept[row] === 0) continue;
    const prefix = stacks.prefix[row];
    kept[row] = builder.intern(prefix === NONE ? NONE : kept[prefix], stacks.frame[row]);
  }
  return kept;
}
