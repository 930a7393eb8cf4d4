import { NONE } from '../../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import { type MatchedRuns, matchRuns } from '../../../../src/profile/analysis/match-functions.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import type { LoadedRecording } from '../recording/recording.ts';

/** Functions of all recordings, and which of them those of each are. */
export type JoinedFunctions = {
  readonly page: PageProfile;
  /** Joined functions by recording, and in it by FuncIndex. */
  readonly funcs: readonly Int32Array[];
  readonly renamed: MatchedRuns['renamed'];
};

/** A function that the first recording does not have. */
type FurtherFunction = { readonly recording: LoadedRecording; readonly func: number };

/** Joins the recordings of a side, `mine` first; the functions of the first of them keep their rows. */
export function* joinFunctions(
  mine: readonly LoadedRecording[],
  others: readonly LoadedRecording[],
): Slices<JoinedFunctions> {
  const profiles = (side: readonly LoadedRecording[]) => side.map(({ profile }) => profile);
  const { ids, renamed } = matchRuns(profiles(mine), profiles(others));
  yield;
  const [{ page, profile }] = mine;
  const further: FurtherFunction[] = [];
  const funcOfId = new Map<number, number>();
  const funcs: Int32Array[] = [];
  for (const [run, recording] of [...mine, ...others].entries()) {
    const own = ids[run];
    const found = new Int32Array(own.length);
    yield* eachSlice(own.length, (begin, end) => {
      for (let func = begin; func < end; func++) {
        const id = own[func];
        // Two processes of one recording may run the same script: that is one function here.
        const next = run === 0 ? func : profile.funcs.length + further.length;
        const known = funcOfId.get(id) ?? next;
        if (known === next && run > 0) further.push({ recording, func });
        funcOfId.set(id, known);
        found[func] = known;
      }
    });
    funcs.push(found);
  }
  return { page: { ...page, profile: withFunctions(profile, further) }, funcs, renamed };
}

/** The functions of one profile with those of others behind them; DSOs of one name are one DSO. */
function withFunctions(profile: Profile, further: readonly FurtherFunction[]): Profile {
  const { funcs, strings } = profile;
  const dsos = new Map(profile.dsos.map((dso, row) => [dso.name, row]));
  const all = [...profile.dsos];
  const dsoOf = ({ recording: { profile: other }, func }: FurtherFunction): number => {
    const dso = other.dsos[other.funcs.dso[func]];
    if (dso === undefined) return NONE;
    const row = dsos.get(dso.name) ?? all.push(dso) - 1;
    dsos.set(dso.name, row);
    return row;
  };
  const withNew = (column: Int32Array, of: (one: FurtherFunction, row: number) => number) =>
    Int32Array.from([...column, ...further.map(of)]);
  const flags = (column: 'category' | 'isScript') => {
    const of = ({ recording, func }: FurtherFunction) => recording.profile.funcs[column][func];
    return Uint8Array.from([...funcs[column], ...further.map(of)]);
  };
  return {
    ...profile,
    strings: [...strings, ...further.map(({ recording, func }) => recording.funcName[func])],
    funcs: {
      length: funcs.length + further.length,
      name: withNew(funcs.name, (_, row) => strings.length + row),
      dso: withNew(funcs.dso, dsoOf),
      category: flags('category'),
      isScript: flags('isScript'),
      file: withNew(funcs.file, () => NONE),
      line: withNew(funcs.line, () => 0),
      column: withNew(funcs.column, () => 0),
      v8Name: withNew(funcs.v8Name, () => NONE),
    },
    dsos: all,
  };
}
