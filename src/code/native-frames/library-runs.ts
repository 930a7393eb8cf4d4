import { NONE } from '../../base/brand.ts';
import type { StackTableBuilder } from '../../profile/stack-table.ts';
import type { KindFrames } from './kind-frames.ts';
import type { Library } from './library-kind.ts';

/** Runs of frames of one library: each is one frame. */
export class LibraryRuns {
  readonly #builder: StackTableBuilder;
  readonly #kinds: KindFrames;
  readonly #frames = new Set<number>();

  constructor({ builder, kinds }: { builder: StackTableBuilder; kinds: KindFrames }) {
    this.#builder = builder;
    this.#kinds = kinds;
  }

  /**
   * The row of the caller's path with the library: the caller's own where it is in it already.
   * `isSystem`: below another library it is part of that.
   */
  intern(caller: number, { label, category }: Library, isSystem: boolean): number {
    const frame = this.#kinds.intern(label, category);
    this.#frames.add(frame);
    const innermost = caller === NONE ? NONE : this.#builder.frame(caller);
    const isPart = isSystem ? this.#frames.has(innermost) : innermost === frame;
    return isPart ? caller : this.#builder.intern(caller, frame);
  }
}
