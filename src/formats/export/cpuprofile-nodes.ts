import { NONE } from '../../base/brand.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import type { Profile } from '../../profile/types.ts';

/** V8's names of what is no function, and two of ours; children of the root. */
export const META_NAMES = [
  '(root)',
  '(program)',
  '(idle)',
  '(garbage collector)',
  '(not selected)',
  '(not sampled)',
] as const;
/** Rows of the nodes with these names. */
export const META_NODE = {
  root: 0,
  program: 1,
  idle: 2,
  collector: 3,
  unselected: 4,
  unsampled: 5,
} as const;

/**
 * The call tree of a .cpuprofile: a row is a node, which has a row of functions or is one of V8's own.
 * Parents come before children; row 0 is the root.
 */
export type CpuProfileNodes = {
  readonly length: number;
  /** −1 for the root. */
  readonly parent: Int32Array;
  /** FuncIndex; negative for the nodes that are no functions. */
  readonly func: Int32Array;
  /** Node by StackIndex; −1 for stacks that none of the samples has. */
  readonly ofStack: Int32Array;
};

/**
 * The nodes of the stacks that `used` marks (1 by StackIndex) and of their callers. Frames of one
 * function below one node are one node, whatever their addresses. Work of V8's garbage collector is
 * one node below the root, as V8 writes it, whoever has allocated: readers sum it and place it in time.
 */
export function buildNodes(profile: Profile, used: Uint8Array): CpuProfileNodes {
  const { stacks, frames } = profile;
  const pairs = new PairInterner();
  for (let meta = 0; meta < META_NAMES.length; meta++) {
    pairs.intern(meta === META_NODE.root ? NONE : META_NODE.root, -2 - meta);
  }
  markCallers(profile, used);
  const isCollector = collectorFuncs(profile);
  const { isScript } = profile.funcs;
  const ofStack = new Int32Array(stacks.length).fill(NONE);
  // Hot: once per stack row.
  for (let row = 0; row < stacks.length; row++) {
    if (used[row] === 0) continue;
    const func = frames.func[stacks.frame[row]];
    const prefix = stacks.prefix[row];
    const parent = prefix === NONE ? META_NODE.root : ofStack[prefix];
    const isInside = parent === META_NODE.collector && isScript[func] === 0;
    ofStack[row] =
      isInside || isCollector[func] === 1 ? META_NODE.collector : pairs.intern(parent, func);
  }
  return {
    length: pairs.length,
    parent: pairs.first.finish(),
    func: pairs.second.finish(),
    ofStack,
  };
}

function markCallers({ stacks }: Profile, used: Uint8Array): void {
  for (let row = stacks.length - 1; row >= 0; row--) {
    const prefix = stacks.prefix[row];
    if (used[row] === 1 && prefix !== NONE) used[prefix] = 1;
  }
}

/** V8's collector by the demangled names of its entries: what runs below them is part of it. */
const COLLECTOR =
  /^(?:\w+ )?(?:v8::internal::(?:Heap::(?:Collect\w*Garbage|PerformGarbageCollection|Scavenge|MarkCompact)|(?:MarkCompact|Scavenger|MinorMarkSweep)Collector::|Scavenger::|IncrementalMarking::|ConcurrentMarking::|Sweeper::)|cppgc::internal::(?:MarkerBase|Sweeper)::)/;

function collectorFuncs({ funcs, strings }: Profile): Uint8Array {
  return Uint8Array.from(funcs.name, (name) => (COLLECTOR.test(strings[name]) ? 1 : 0));
}
