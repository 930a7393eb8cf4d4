import type { UnwindSections } from './types.ts';

/**
 * One file with code, whatever processes map it. Its sections are loaded when the first frame lies
 * in it.
 */
export class UnwindModule {
  readonly name: string;
  readonly #load: () => UnwindSections | null;
  #sections: UnwindSections | null | undefined;

  /** `load` is called at most once; null says that the file is absent. */
  constructor(name: string, load: () => UnwindSections | null) {
    this.name = name;
    this.#load = load;
  }

  get sections(): UnwindSections | null {
    if (this.#sections === undefined) this.#sections = this.#load();
    return this.#sections;
  }
}
