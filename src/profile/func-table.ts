import { PairInterner } from '../base/pair-interner.ts';
import type { FuncIndex, FuncTable } from './types.ts';

/** What a function is called when no symbol covers its address. */
export const UNKNOWN_FUNC_NAME = '[unknown]';

/** Stands for the code that lost samples would have shown. */
export const LOST_FUNC_NAME = '[lost]';

/** Builds the func table: every distinct (name, DSO) once. */
export class FuncTableBuilder {
  /** first = name (StringIndex), second = DSO. */
  readonly #rows = new PairInterner();

  get length(): number {
    return this.#rows.length;
  }

  /** `dso` is −1 where no mapping covered the address. */
  intern(name: number, dso: number): FuncIndex {
    return this.#rows.intern(name, dso) as FuncIndex;
  }

  finish(): FuncTable {
    return {
      length: this.length,
      name: this.#rows.first.finish(),
      dso: this.#rows.second.finish(),
    };
  }
}
