import { NONE } from '../../base/brand.ts';
import type { KernelEntry } from './kernel-entry.ts';
import { LibraryRuns } from './library-runs.ts';
import { classifyNative, type NativeClass } from './native-class.ts';
import type { FoldedStacks, StackFoldInput } from './stack-fold.ts';
import { IN_START, nextStage } from './start-stage.ts';

/**
 * Stacks of a native program from `main` on, in which each run of frames of libraries is one of its kind, and
 * each run of the kernel's is one that states why it runs.
 *
 *     __libc_start_main → main → sort → qsort → msort → compare → asm_exc_page_fault → clear_page
 *      ──▶  main → sort → (libc) → compare → (kernel: page fault)
 */
export function foldLibraries(input: StackFoldInput): FoldedStacks {
  return new LibraryFolder(input).fold();
}

class LibraryFolder {
  readonly #input: StackFoldInput;
  readonly #libraries: LibraryRuns;
  /** Apart: the C library below these is no part of them. */
  readonly #linked: LibraryRuns;
  readonly #classes: readonly NativeClass[];
  /** New row of the frames before a run of the kernel's, by stack row. */
  readonly #base: Int32Array;
  /** Frame and rank of that run; rank 0: there is none. */
  readonly #kernel: Int32Array;
  readonly #rank: Uint8Array;
  readonly #stages: Uint8Array;

  constructor(input: StackFoldInput) {
    const { length } = input.profile.stacks;
    this.#input = input;
    this.#libraries = new LibraryRuns(input);
    this.#linked = new LibraryRuns(input);
    this.#classes = classifyNative(input.profile);
    this.#base = new Int32Array(length).fill(NONE);
    this.#kernel = new Int32Array(length).fill(NONE);
    this.#rank = new Uint8Array(length);
    this.#stages = new Uint8Array(length);
  }

  fold(): FoldedStacks {
    const { profile, isNeeded } = this.#input;
    const { stacks, frames } = profile;
    const newStack = new Int32Array(stacks.length).fill(NONE);
    // Hot: once per stack row. Prefixes come first, so theirs are known.
    for (let row = 0; row < stacks.length; row++) {
      if (isNeeded[row] === 0) continue;
      const found = this.#classes[frames.func[stacks.frame[row]]];
      if (found.is === 'kernel') this.#addKernel(row, found.entry);
      else this.#add(row, found);
      newStack[row] = this.#settle(row);
    }
    return { newStack };
  }

  #addKernel(row: number, { label, rank }: KernelEntry): void {
    const prefix = this.#input.profile.stacks.prefix[row];
    this.#stages[row] = nextStage(prefix === NONE ? IN_START : this.#stages[prefix], null);
    this.#base[row] = prefix === NONE ? NONE : this.#base[prefix];
    const before = prefix === NONE ? 0 : this.#rank[prefix];
    const isStronger = rank > before;
    this.#rank[row] = isStronger ? rank : before;
    this.#kernel[row] = isStronger
      ? this.#input.kinds.intern(label, 'kernel')
      : this.#kernel[prefix];
  }

  #add(row: number, found: Exclude<NativeClass, { is: 'kernel' }>): void {
    const { stacks } = this.#input.profile;
    const prefix = stacks.prefix[row];
    const frame = stacks.frame[row];
    const startUp = found.is === 'wait' ? null : found.startUp;
    const stage = prefix === NONE ? IN_START : this.#stages[prefix];
    this.#stages[row] = nextStage(stage, startUp);
    const isOutside = this.#stages[row] === IN_START || (stage === IN_START && found.is !== 'wait');
    const caller = isOutside || prefix === NONE ? NONE : this.#settle(prefix);
    if (found.is !== 'library') {
      this.#base[row] = this.#input.builder.intern(caller, frame);
      return;
    }
    const runs = found.isLinked ? this.#linked : this.#libraries;
    this.#base[row] = runs.intern(caller, found.library, found.isSystem);
  }

  /** The new row of a path that ends here. */
  #settle(row: number): number {
    if (this.#rank[row] === 0) return this.#base[row];
    return this.#input.builder.intern(this.#base[row], this.#kernel[row]);
  }
}
