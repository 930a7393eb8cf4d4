import { NONE } from '../base/brand.ts';
import { PairInterner } from '../base/pair-interner.ts';
import { isPlaceName } from '../base/place-name.ts';
import type { StringIndex } from '../base/string-table.ts';
import {
  type Dso,
  FUNC_CATEGORIES,
  type FuncCategory,
  type FuncIndex,
  type FuncTable,
} from './types.ts';

/** Name of a function when no symbol covers its address. */
export const UNKNOWN_FUNC_NAME = '[unknown]';

/** Whether nobody gave the function a name: what it is called says no more than where it lies. */
export function isUnnamed(name: string): boolean {
  return name === UNKNOWN_FUNC_NAME || isPlaceName(name);
}

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
  intern(name: StringIndex, dso: number): FuncIndex {
    return this.#rows.intern(name, dso) as FuncIndex;
  }

  name(func: number): StringIndex {
    return this.#rows.first.array[func] as StringIndex;
  }

  dso(func: number): number {
    return this.#rows.second.array[func];
  }

  /** The category of each function is that of its DSO, until its owner is decided. */
  finish(dsos: readonly Dso[]): FuncTable {
    const { length } = this;
    const dso = this.#rows.second.finish();
    const category = Uint8Array.from(dso, (row) => categoryRow(categoryOfDso(dsos[row])));
    return {
      length,
      name: this.#rows.first.finish(),
      dso,
      category,
      isScript: new Uint8Array(length),
      file: new Int32Array(length).fill(NONE),
      line: new Int32Array(length),
      column: new Int32Array(length),
      v8Name: new Int32Array(length).fill(NONE),
    };
  }
}

/** Row of `FUNC_CATEGORIES`. */
export function categoryRow(category: FuncCategory): number {
  return FUNC_CATEGORIES.indexOf(category);
}

function categoryOfDso(dso: Dso | undefined): FuncCategory {
  return dso?.kind === 'kernel' || dso?.kind === 'module' ? 'kernel' : 'native';
}
