import { NONE } from '../../base/brand.ts';
import type { StackTableBuilder } from '../../profile/stack-table.ts';
import type { FuncCategory } from '../../profile/types.ts';
import type { KindFrames } from '../native-frames/kind-frames.ts';
import type { FoldedStacks, StackFoldInput } from '../native-frames/stack-fold.ts';
import type { FrameClass } from './frame-class.ts';
import { kindFacts, type NativeKind } from './native-kind.ts';

/** Threads that wait for work, and the main thread that waits for events. */
export const IDLE_THREADS = '(idle threads)';
export const IDLE_LOOP = '(idle: event loop)';

/** A run of frames that is not over: its frame, and the rank that made it so. 0: no run. */
type Run = { readonly frame: number; readonly rank: number; readonly kind: NativeKind | null };
const NO_RUN: Run = { frame: NONE, rank: 0, kind: null };
/** The value below every kind: frames that lie in the binary and have no name, or none that tells. */
const BINARY_RANK = 1;

/** Class of the innermost of the frames that stay. */
type Last =
  | ('none' | 'unmapped' | 'start' | 'system' | 'library' | 'script')
  | ('nodeStart' | 'microtasks' | 'worker' | 'wait');

/** States of a path on which no frame has shown yet what the thread runs. */
const IS_OUTSIDE: ReadonlySet<Last> = new Set(['unmapped', 'start', 'system']);

/**
 * The state of a path from the root, behind the frames that stay. There are few, however many paths:
 * each is made once, and knows those that follow it.
 *
 *     (libc)  node::Start … uv_run  uv__read  node::OnUvRead   handle   Builtins_LoadIC  Heap::Scavenge
 *     └──── root: (event loop) ───┘ └─ run: (Node C++) ──────┘ script   └─ run: (garbage collector) ──┘
 */
type State = {
  /** Row in the folder's list of states. */
  readonly row: number;
  readonly last: Last;
  readonly root: Run;
  readonly run: Run;
  readonly kernel: Run;
  /** Indexed by what was met: `keyOf`. */
  readonly after: { readonly [Part in 'root' | 'run' | 'kernel']: Map<number, State> };
};

/** Kinds may share a label, and differ in rank. */
function keyOf({ frame, rank }: Run): number {
  return frame * RANKS + rank;
}
const RANKS = 16;

/**
 * Folds each run of native frames into one. What V8 does to run a function of JavaScript (its code,
 * built-ins, inline caches, runtime) is that function's own; garbage collection, compilers, Node's C++,
 * libuv and the kernel are kinds below it.
 */
export function foldNative(input: StackFoldInput, classes: readonly FrameClass[]): FoldedStacks {
  return new NativeFolder(input, classes).fold();
}

class NativeFolder {
  readonly #input: StackFoldInput;
  readonly #classes: readonly FrameClass[];
  readonly #kinds: KindFrames;
  readonly #builder: StackTableBuilder;
  readonly #states: State[] = [];
  readonly #behind: Readonly<Record<Last, State>> = {
    none: this.#newState('none'),
    unmapped: this.#newState('unmapped'),
    start: this.#newState('start'),
    system: this.#newState('system'),
    library: this.#newState('library'),
    script: this.#newState('script'),
    nodeStart: this.#newState('nodeStart'),
    microtasks: this.#newState('microtasks'),
    worker: this.#newState('worker'),
    wait: this.#newState('wait'),
  };
  /** New row of the frames of this path that stay, −1 before the first. */
  #base: number = NONE;

  constructor(input: StackFoldInput, classes: readonly FrameClass[]) {
    this.#input = input;
    this.#classes = classes;
    this.#kinds = input.kinds;
    this.#builder = input.builder;
  }

  fold(): FoldedStacks {
    const { profile, wanted, isNeeded } = this.#input;
    const classes = this.#classes;
    const { stacks, frames } = profile;
    const bases = new Int32Array(stacks.length);
    const states = new Int32Array(stacks.length);
    const newStack = new Int32Array(stacks.length).fill(NONE);
    const isCutSleep = new Uint8Array(stacks.length);
    // Hot: once per stack row. Prefixes come first, so theirs are known.
    for (let row = 0; row < stacks.length; row++) {
      if (isNeeded[row] === 0) continue;
      const prefix = stacks.prefix[row];
      const frame = stacks.frame[row];
      const found = classes[frames.func[frame]];
      const state = prefix === NONE ? this.#behind.none : this.#states[states[prefix]];
      this.#base = prefix === NONE ? NONE : bases[prefix];
      if (found.is === 'wait' && found.isSleep && this.#isCut(state)) isCutSleep[row] = 1;
      const next = this.#next(state, frame, found);
      states[row] = next.row;
      bases[row] = this.#base;
      if (wanted[row] === 1) newStack[row] = this.#settle(next, true);
    }
    return { newStack, isCutSleep };
  }

  #next(state: State, frame: number, found: FrameClass): State {
    switch (found.is) {
      case 'script':
        if (found.isStart && state.last === 'nodeStart') return this.#behind.nodeStart;
        return this.#keep(
          state.last === 'unmapped' ? state : this.#withoutSystem(state),
          frame,
          found.isStart ? 'nodeStart' : 'script',
        );
      case 'library':
        return this.#keep(
          state.last === 'start' ? this.#withoutSystem(state) : state,
          frame,
          'library',
        );
      case 'system':
        return this.#system(state, frame, found);
      case 'unmapped':
        return this.#unmapped(state, frame);
      case 'binary':
        return this.#stronger(this.#withoutSystem(state), 'run', {
          label: found.label,
          rank: BINARY_RANK,
          kind: null,
          category: 'node internal',
        });
      case 'native':
        return this.#native(this.#withoutSystem(state), found.kind);
      case 'kernel': {
        // Calls of perf-ts into the kernel are its own part of the program, too.
        if (state.run.kind === 'recorder') return state;
        const { rank, label } = found.entry;
        return this.#stronger(state, 'kernel', { rank, label, kind: null, category: 'kernel' });
      }
      case 'wait':
        return this.#wait(state, frame, found.isSleep);
    }
  }

  #keep(state: State, frame: number, last: Last): State {
    this.#base = this.#builder.intern(this.#settle(state, false), frame);
    return this.#behind[last];
  }

  /**
   * Frames of the C library at the root were those of a thread that is the runtime's, those in no file
   * where a frame pointer led that was none.
   */
  #withoutSystem(state: State): State {
    if (!IS_OUTSIDE.has(state.last)) return state;
    this.#base = NONE;
    return this.#behind.none;
  }

  /** Part of a run or of a function of JavaScript; without either it is a function like others. */
  #system(state: State, frame: number, found: FrameClass & { is: 'system' }): State {
    const { last } = state;
    if (isInRun(state) || IS_JAVASCRIPT.has(last) || IS_STEP.has(last)) return state;
    switch (last) {
      case 'system':
        return state;
      case 'start':
        return found.startsThreads ? state : this.#behind.system;
      case 'none':
      case 'unmapped':
        this.#base = this.#builder.intern(
          NONE,
          this.#kinds.intern(found.library.label, found.library.category),
        );
        return this.#behind[found.startsThreads ? 'start' : 'system'];
      default:
        return this.#keep(state, frame, last);
    }
  }

  /** A frame in no file is outermost where nothing before it is shown, so that a folded path folds to itself. */
  #unmapped(state: State, frame: number): State {
    const before = this.#settle(state, false);
    this.#base = this.#builder.intern(before, frame);
    return this.#behind[before === NONE || state.last === 'unmapped' ? 'unmapped' : 'library'];
  }

  #native(state: State, kind: NativeKind): State {
    const { label, rank, category, isRoot } = kindFacts(kind);
    if (kind === 'microtasks') {
      // C++ and the built-in that it calls are one step.
      if (state.last === 'microtasks') return this.#behind.microtasks;
      return this.#keep(state, this.#kinds.intern(label, category), 'microtasks');
    }
    if (isRoot !== true) return this.#stronger(state, 'run', { label, rank, kind, category });
    if (this.#base === NONE) return this.#stronger(state, 'root', { label, rank, kind, category });
    // Work of libuv's pool stands below the functions that asked for it. Frames before a root lead to it.
    if (kind === 'uvWorker') {
      if (state.last === 'worker') return this.#behind.worker;
      const before = this.#behind[state.last];
      return this.#keep(before, this.#kinds.intern(label, category), 'worker');
    }
    // An event loop within a function waits for that function's sake.
    return this.#stronger(state, 'run', { ...kindFacts('poll'), kind: 'poll' });
  }

  /** The state with what was met, if its rank is higher than that of what is there. */
  #stronger(state: State, part: 'root' | 'run' | 'kernel', met: NamedRun): State {
    const isRoot = part === 'root';
    const isWeaker = met.rank <= state[part].rank;
    if (isWeaker && !isRoot) return state;
    const run: Run = isWeaker
      ? state.root
      : { frame: this.#kinds.intern(met.label, met.category), rank: met.rank, kind: met.kind };
    const key = keyOf(run);
    let next = state.after[part].get(key);
    if (next === undefined) {
      next = this.#newState(
        state.last,
        isRoot ? run : state.root,
        // Frames before a root lead to it.
        isRoot ? NO_RUN : part === 'run' ? run : state.run,
        part === 'kernel' ? run : state.kernel,
      );
      state.after[part].set(key, next);
    }
    return next;
  }

  #newState(last: Last, root = NO_RUN, run = NO_RUN, kernel = NO_RUN): State {
    const after = { root: new Map(), run: new Map(), kernel: new Map() };
    const state: State = { row: this.#states.length, last, root, run, kernel, after };
    this.#states.push(state);
    return state;
  }

  #wait(state: State, frame: number, isSleep: boolean): State {
    const idle = isSleep && this.#base === NONE ? idleLabel(state) : null;
    if (idle === null) return this.#keep(state, frame, 'wait');
    this.#base = this.#builder.intern(NONE, this.#kinds.intern(idle, 'node internal'));
    return this.#behind.wait;
  }

  /** Whether nothing is known but that the C library or libuv waits. */
  #isCut({ last, root, run }: State): boolean {
    const isOutside = this.#base === NONE || last === 'system' || last === 'start';
    return isOutside && root.rank === 0 && isWaiting(run);
  }

  /**
   * The row of a path that ends in this state, or goes on with a frame that stays. Of one that goes on
   * the bridge between two functions is left out: V8's, and at the root all that leads to the first.
   */
  #settle(state: State, isEnd: boolean): number {
    const { root, run, kernel } = state;
    let row = this.#base;
    if (root.rank > 0) row = this.#builder.intern(row, root.frame);
    if (run.rank > 0 && isShown(state, isEnd)) row = this.#builder.intern(row, run.frame);
    if (kernel.rank > 0) row = this.#builder.intern(row, kernel.frame);
    return row;
  }
}

function isInRun({ root, run }: State): boolean {
  return root.rank > 0 || run.rank > 0;
}

const IS_JAVASCRIPT: ReadonlySet<Last> = new Set(['script', 'nodeStart']);
/** Frames of the runtime that stay within a path. */
const IS_STEP: ReadonlySet<Last> = new Set(['microtasks', 'worker']);

/** Whether the run of a state is a frame. */
function isShown({ root, run, last, kernel }: State, isEnd: boolean): boolean {
  const isBridge = !isEnd && kernel.rank === 0;
  if (run.kind === null) return !isBridge && root.rank === 0 && !IS_STEP.has(last);
  if (kindFacts(run.kind).isCharged === true) return !isBridge && !IS_JAVASCRIPT.has(last);
  // It hands over to the program's modules, and what they do is theirs.
  if (run.kind === 'recorder') return !isBridge;
  const isTask = run.rank > kindFacts('node').rank;
  return !isBridge || isTask || (last !== 'none' && !IS_OUTSIDE.has(last));
}

type NamedRun = {
  readonly label: string;
  readonly rank: number;
  readonly kind: NativeKind | null;
  readonly category: FuncCategory;
};

function isWaiting({ kind }: Run): boolean {
  return kind === null || kind === 'idle' || kind === 'poll';
}

/** The kind of wait of a thread that sleeps in this state, where nothing but waiting is on its stack. */
function idleLabel({ root, run }: State): string | null {
  if (root.kind === null) return null;
  if (!isWaiting(run)) return null;
  if (root.kind === 'eventLoop') return run.kind === 'poll' ? IDLE_LOOP : null;
  return root.kind === 'startUp' ? null : IDLE_THREADS;
}
