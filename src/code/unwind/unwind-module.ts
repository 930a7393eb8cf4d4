import { Diagnostics } from '../../base/diagnostics.ts';
import { CfiTable } from './cfi-table.ts';
import type { UnwindSections } from './module-input.ts';

let modules = 0;

/**
 * One file with code, whatever processes map it, or one piece of JIT code that has frame tables. Its
 * sections are loaded when the first frame lies in it.
 */
export class UnwindModule {
  /** Name used in messages. */
  readonly name: string;
  /** Differs between modules; 1 for the first. */
  readonly id = ++modules;
  /** The code that the kernel maps for system calls. */
  readonly isVdso: boolean;
  readonly #load: () => UnwindSections | null;
  readonly #diagnostics: Diagnostics;
  #sections: UnwindSections | null | undefined;
  #table: CfiTable | null = null;

  /**
   * `load` is called at most once; null states that the file is absent. `diagnostics` count what is
   * wrong with its tables.
   */
  constructor(
    name: string,
    load: () => UnwindSections | null,
    diagnostics: Diagnostics = new Diagnostics(),
    isVdso = false,
  ) {
    this.isVdso = isVdso;
    this.name = name;
    this.#load = load;
    this.#diagnostics = diagnostics;
  }

  get sections(): UnwindSections | null {
    if (this.#sections === undefined) {
      this.#sections = this.#load();
      if (this.#sections !== null) {
        this.#table = new CfiTable(this.#sections, this.name, this.#diagnostics);
      }
    }
    return this.#sections;
  }

  /** Null if the file is absent. */
  get table(): CfiTable | null {
    return this.sections && this.#table;
  }

  /** Its tables are known, but not its code. */
  get hasNoText(): boolean {
    return this.sections?.readText === null;
  }

  /** Code from the file address `address`, at most `length` bytes; empty if it can't be read. */
  readText(address: number, length: number): Uint8Array {
    return this.sections?.readText?.(address, length) ?? NO_TEXT;
  }
}

const NO_TEXT = new Uint8Array(0);
