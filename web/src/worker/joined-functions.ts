import { NONE } from '../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../src/base/slices.ts';
import type { PageProfile } from '../../../src/formats/export/page-profile.ts';
import type { DsoMatch } from '../../../src/profile/analysis/match-dsos.ts';
import { matchFunctions } from '../../../src/profile/analysis/match-functions.ts';
import type { Dso, FuncTable, Profile } from '../../../src/profile/types.ts';
import type { LoadedRecording } from './recording.ts';

/** Functions of both recordings, and which of them those of either are. */
export type JoinedFunctions = {
  readonly page: PageProfile;
  readonly mineFunc: Int32Array;
  readonly otherFunc: Int32Array;
  readonly renamed: readonly DsoMatch[];
};

export function* joinFunctions(
  mine: LoadedRecording,
  other: LoadedRecording,
): Slices<JoinedFunctions> {
  const matched = matchFunctions(mine.profile, other.profile);
  const funcOfId = new Int32Array(matched.count).fill(NONE);
  yield;
  // Two processes of one recording may run the same script: that is one function here.
  const mineFunc = new Int32Array(mine.profile.funcs.length);
  yield* eachSlice(mineFunc.length, (first, end) => {
    for (let func = first; func < end; func++) {
      const id = matched.mine[func];
      if (funcOfId[id] === NONE) funcOfId[id] = func;
      mineFunc[func] = funcOfId[id];
    }
  });
  const joined = new GrowingFuncs(mine.profile);
  const otherFunc = new Int32Array(other.profile.funcs.length);
  yield* eachSlice(otherFunc.length, (first, end) => {
    for (let func = first; func < end; func++) {
      const id = matched.other[func];
      if (funcOfId[id] === NONE) funcOfId[id] = joined.add(other, func);
      otherFunc[func] = funcOfId[id];
    }
  });
  const page = { ...mine.page, profile: { ...mine.profile, ...joined.finish() } };
  return { page, mineFunc, otherFunc, renamed: matched.renamed };
}

/** The functions of one profile, behind which those of another one are added. */
class GrowingFuncs {
  readonly #funcs: FuncTable;
  readonly #strings: string[];
  readonly #dsos: Dso[];
  readonly #name: number[];
  readonly #dso: number[];
  readonly #category: number[];
  readonly #dsoOfName: Map<string, number>;

  constructor({ funcs, strings, dsos }: Profile) {
    this.#funcs = funcs;
    this.#strings = [...strings];
    this.#dsos = [...dsos];
    this.#name = [...funcs.name];
    this.#dso = [...funcs.dso];
    this.#category = [...funcs.category];
    this.#dsoOfName = new Map(dsos.map(({ name }, index) => [name, index]));
  }

  /** Returns the function's row. */
  add({ profile, funcName }: LoadedRecording, func: number): number {
    const dso = profile.dsos[profile.funcs.dso[func]];
    this.#strings.push(funcName[func]);
    this.#dso.push(dso === undefined ? NONE : this.#addDso(dso));
    this.#category.push(profile.funcs.category[func]);
    return this.#name.push(this.#strings.length - 1) - 1;
  }

  finish(): Pick<Profile, 'strings' | 'dsos' | 'funcs'> {
    const padded = (column: Int32Array, value: number) =>
      Int32Array.from(this.#name, (_, func) => column[func] ?? value);
    const funcs = {
      length: this.#name.length,
      name: Int32Array.from(this.#name),
      dso: Int32Array.from(this.#dso),
      category: Uint8Array.from(this.#category),
      file: padded(this.#funcs.file, NONE),
      line: padded(this.#funcs.line, 0),
      column: padded(this.#funcs.column, 0),
    };
    return { strings: this.#strings, dsos: this.#dsos, funcs };
  }

  /** DSOs of one name are one DSO. */
  #addDso(dso: Dso): number {
    const known = this.#dsoOfName.get(dso.name);
    if (known !== undefined) return known;
    this.#dsoOfName.set(dso.name, this.#dsos.length);
    return this.#dsos.push(dso) - 1;
  }
}
