import { NONE } from '../../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import type { DsoMatch } from '../../../../src/profile/analysis/match-dsos.ts';
import { matchRuns } from '../../../../src/profile/analysis/match-functions.ts';
import type { Dso, FuncTable, Profile } from '../../../../src/profile/types.ts';
import type { LoadedRecording } from '../recording/recording.ts';

/** Functions of all recordings, and which of them those of each are. */
export type JoinedFunctions = {
  readonly page: PageProfile;
  /** By recording, and in it by FuncIndex. */
  readonly funcs: readonly Int32Array[];
  readonly renamed: readonly DsoMatch[];
};

/** Of the recordings of a side, `mine` first; the functions of the first of them keep their rows. */
export function* joinFunctions(
  mine: readonly LoadedRecording[],
  others: readonly LoadedRecording[],
): Slices<JoinedFunctions> {
  const profiles = (side: readonly LoadedRecording[]) => side.map(({ profile }) => profile);
  const { ids, renamed } = matchRuns(profiles(mine), profiles(others));
  yield;
  const [first] = mine;
  const joined = new GrowingFuncs(first.profile);
  const funcOfId = new Map<number, number>();
  const funcs: Int32Array[] = [];
  for (const [run, recording] of [...mine, ...others].entries()) {
    const own = ids[run];
    const found = new Int32Array(own.length);
    yield* eachSlice(own.length, (begin, end) => {
      for (let func = begin; func < end; func++) {
        const id = own[func];
        // Two processes of one recording may run the same script: that is one function here.
        const known = funcOfId.get(id) ?? (run === 0 ? func : joined.add(recording, func));
        funcOfId.set(id, known);
        found[func] = known;
      }
    });
    funcs.push(found);
  }
  const page = { ...first.page, profile: { ...first.profile, ...joined.finish() } };
  return { page, funcs, renamed };
}

/** The functions of one profile, behind which those of another one are added. */
class GrowingFuncs {
  readonly #funcs: FuncTable;
  readonly #strings: string[];
  readonly #dsos: Dso[];
  readonly #name: number[];
  readonly #dso: number[];
  readonly #category: number[];
  readonly #isScript: number[];
  readonly #dsoOfName: Map<string, number>;

  constructor({ funcs, strings, dsos }: Profile) {
    this.#funcs = funcs;
    this.#strings = [...strings];
    this.#dsos = [...dsos];
    this.#name = [...funcs.name];
    this.#dso = [...funcs.dso];
    this.#category = [...funcs.category];
    this.#isScript = [...funcs.isScript];
    this.#dsoOfName = new Map(dsos.map(({ name }, index) => [name, index]));
  }

  /** Returns the function's row. */
  add({ profile, funcName }: LoadedRecording, func: number): number {
    const dso = profile.dsos[profile.funcs.dso[func]];
    this.#strings.push(funcName[func]);
    this.#dso.push(dso === undefined ? NONE : this.#addDso(dso));
    this.#category.push(profile.funcs.category[func]);
    this.#isScript.push(profile.funcs.isScript[func]);
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
      isScript: Uint8Array.from(this.#isScript),
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
