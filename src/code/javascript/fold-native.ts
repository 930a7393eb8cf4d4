import { NONE } from '../../base/brand.ts';
import type { StackTableBuilder } from '../../profile/stack-table.ts';
import type { FuncCategory } from '../../profile/types.ts';
import type { FrameClass } from './frame-class.ts';
import type { KindFrames } from './kind-frames.ts';
import { kindFacts, type NativeKind } from './native-kind.ts';
import type { FoldedStacks, StackFoldInput } from './stack-fold.ts';

/** Threads that wait for work, and the main thread that waits for events. */
export const IDLE_THREADS = '(idle threads)';
export const IDLE_LOOP = '(idle: event loop)';

/** A run of frames that is not over: its frame, and the rank that made it so. 0: no run. */
type Run = { readonly frame: number; readonly rank: number; readonly kind: NativeKind | null };
const NO_RUN: Run = { frame: NONE, rank: 0, kind: null };
/** Below every kind: of frames that lie in the binary and have no name, or none that tells. */
const BINARY_RANK = 1;

/**
 * Where a path from the root stands. Immutable: paths that part share the states of their callers.
 *
 *     (libc)  node::Start … uv_run  uv__read  node::OnUvRead   handle   Builtins_LoadIC  Heap::Scavenge
 *     └──── root: (event loop) ───┘ └─ run: (Node C++) ──────┘ script   └─ run: (garbage collector) ──┘
 */
type State = {
  /** New row of the frames that stay, −1 before the first. */
  readonly base: number;
  /** What the innermost of them is. */
  readonly last: 'none' | 'system' | 'library' | 'script' | 'microtasks' | 'wait';
  readonly root: Run;
  readonly run: Run;
  readonly kernel: Run;
};
const OUTSIDE: State = { base: NONE, last: 'none', root: NO_RUN, run: NO_RUN, kernel: NO_RUN };

/**
 * Folds each run of native frames into one. What V8 does to run a function of JavaScript (its code,
 * built-ins, inline caches, runtime) is that function's own; garbage collection, compilers, Node's C++,
 * libuv and the kernel are kinds below it.
 */
export function foldNative(input: StackFoldInput): FoldedStacks {
  return new NativeFolder(input).fold();
}

class NativeFolder {
  readonly #input: StackFoldInput;
  readonly #kinds: KindFrames;
  readonly #builder: StackTableBuilder;

  constructor(input: StackFoldInput) {
    this.#input = input;
    this.#kinds = input.kinds;
    this.#builder = input.builder;
  }

  fold(): FoldedStacks {
    const { profile, classes, wanted } = this.#input;
    const { stacks, frames } = profile;
    const states: State[] = new Array(stacks.length);
    const newStack = new Int32Array(stacks.length).fill(NONE);
    const isCutSleep = new Uint8Array(stacks.length);
    // Hot: once per stack row. Prefixes come first, so theirs are known.
    for (let row = 0; row < stacks.length; row++) {
      const prefix = stacks.prefix[row];
      const frame = stacks.frame[row];
      const state = prefix === NONE ? OUTSIDE : states[prefix];
      const found = classes[frames.func[frame]];
      states[row] = this.#next(state, frame, found);
      if (found.is === 'wait' && found.isSleep && isCut(state)) isCutSleep[row] = 1;
      if (wanted[row] === 1) newStack[row] = this.#settle(states[row], true);
    }
    return { newStack, isCutSleep };
  }

  #next(state: State, frame: number, found: FrameClass): State {
    switch (found.is) {
      case 'script':
        return this.#keep(this.#withoutSystem(state), frame, 'script');
      case 'library':
        return this.#keep(state, frame, 'library');
      case 'system':
        return this.#system(state, frame);
      case 'binary': {
        const label = found.label;
        const run = { rank: BINARY_RANK, label, kind: null, category: 'node internal' } as const;
        return this.#inRun(this.#withoutSystem(state), run);
      }
      case 'native':
        return this.#native(this.#withoutSystem(state), found.kind);
      case 'kernel': {
        const { rank, label } = found.entry;
        const kernel = this.#stronger(state.kernel, {
          rank,
          label,
          kind: null,
          category: 'kernel',
        });
        return kernel === state.kernel ? state : { ...state, kernel };
      }
      case 'wait':
        return this.#wait(state, frame, found.isSleep);
    }
  }

  #keep(state: State, frame: number, last: State['last']): State {
    const base = this.#builder.intern(this.#settle(state, false), frame);
    return { ...OUTSIDE, base, last };
  }

  /** Frames of the C library at the root were those of a thread that is the runtime's. */
  #withoutSystem(state: State): State {
    return state.last === 'system' ? { ...state, base: NONE, last: 'none' } : state;
  }

  /** Part of a run or of a function of JavaScript; without either it is a function like others. */
  #system(state: State, frame: number): State {
    const isAbsorbed =
      state.run.rank > 0 ||
      state.root.rank > 0 ||
      state.last === 'script' ||
      state.last === 'microtasks';
    if (isAbsorbed) return state;
    return this.#keep(state, frame, state.last === 'none' ? 'system' : state.last);
  }

  #native(state: State, kind: NativeKind): State {
    const { label, rank, category, isRoot } = kindFacts(kind);
    const isAtRoot = state.base === NONE;
    if (kind === 'microtasks') {
      if (state.last === 'microtasks') return { ...state, run: NO_RUN };
      const base = this.#settle(state, false);
      const frame = this.#kinds.intern(label, category);
      return { ...OUTSIDE, base: this.#builder.intern(base, frame), last: 'microtasks' };
    }
    if (isRoot === true) {
      if (!isAtRoot) return this.#inRun(state, { ...kindFacts('poll'), kind: 'poll' });
      const root = this.#stronger(state.root, { label, rank, kind, category });
      return { ...state, root, run: NO_RUN };
    }
    return this.#inRun(state, { label, rank, kind, category });
  }

  #inRun(state: State, of: NamedRun): State {
    const run = this.#stronger(state.run, of);
    return run === state.run ? state : { ...state, run };
  }

  /** `of` if its rank is higher, else what is there. */
  #stronger(there: Run, { label, rank, kind, category }: NamedRun): Run {
    if (rank <= there.rank) return there;
    return { rank, kind, frame: this.#kinds.intern(label, category) };
  }

  #wait(state: State, frame: number, isSleep: boolean): State {
    const idle = isSleep ? idleLabel(state) : null;
    if (idle === null) return this.#keep(state, frame, 'wait');
    const row = this.#builder.intern(NONE, this.#kinds.intern(idle, 'node internal'));
    return { ...OUTSIDE, base: row, last: 'wait' };
  }

  /**
   * The row of a path that ends in this state, or goes on with a frame that stays. Of one that goes on
   * the bridge between two functions is left out: V8's, and at the root all that leads to the first.
   */
  #settle(state: State, isEnd: boolean): number {
    const { root, run, kernel } = state;
    let row = state.base;
    if (root.rank > 0) row = this.#builder.intern(row, root.frame);
    if (run.rank > 0 && this.#isShown(state, isEnd)) row = this.#builder.intern(row, run.frame);
    if (kernel.rank > 0) row = this.#builder.intern(row, kernel.frame);
    return row;
  }

  #isShown({ root, run, last, kernel }: State, isEnd: boolean): boolean {
    const isBridge = !isEnd && kernel.rank === 0;
    if (run.kind === null) return !isBridge && root.rank === 0 && last !== 'microtasks';
    const { isCharged } = kindFacts(run.kind);
    if (isCharged === true) return !isBridge && last !== 'script';
    const isTask = run.rank > kindFacts('node').rank;
    return !isBridge || isTask || (last !== 'none' && last !== 'system');
  }
}

type NamedRun = {
  readonly label: string;
  readonly rank: number;
  readonly kind: NativeKind | null;
  readonly category: FuncCategory;
};

/** Whether nothing is known but that the C library or libuv waits. */
function isCut({ base, last, root, run }: State): boolean {
  const isOutside = base === NONE || last === 'system';
  return isOutside && root.rank === 0 && isWaiting(run);
}

function isWaiting({ kind }: Run): boolean {
  return kind === null || kind === 'idle' || kind === 'poll';
}

/** What a thread that sleeps in this state waits for, where nothing but waiting is on its stack. */
function idleLabel({ base, root, run }: State): string | null {
  if (base !== NONE || root.kind === null) return null;
  if (!isWaiting(run)) return null;
  if (root.kind === 'eventLoop') return run.kind === 'poll' ? IDLE_LOOP : null;
  return root.kind === 'startUp' ? null : IDLE_THREADS;
}
