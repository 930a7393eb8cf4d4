import { NONE } from '../../base/brand.ts';
import { isPlaceName } from '../../base/place-name.ts';
import { funcLabel } from '../func-label.ts';
import { isJitCode } from '../jit-dso.ts';
import { ALL_JIT } from '../join-same-code.ts';
import { scriptName } from '../script-name.ts';
import type { Profile } from '../types.ts';
import { type DsoMatch, matchDsos } from './match-dsos.ts';

/** Which functions of two recordings are the same. */
export type MatchedFunctions = {
  /** One number a FuncIndex, equal for the same function in both; below `count`. */
  readonly mine: Int32Array;
  readonly other: Int32Array;
  readonly count: number;
  /** Files of different names that are compared with each other. */
  readonly renamed: readonly DsoMatch[];
};

/**
 * Functions of two recordings by name and DSO. Which DSOs are the same program, `matchDsos` says.
 * Functions of one name in DSOs that are the same are one, also within a recording: two processes may
 * run the same script. A function of JavaScript has its place in its name, with as much of the path as
 * its recording shows: where the names differ, it is known by the whole path; where lines have moved, by
 * the rest of the name, if only one function on either side is called so.
 */
export function matchFunctions(mine: Profile, other: Profile): MatchedFunctions {
  const dsos = matchDsos(mine, other);
  const ids = new Map<string, number>();
  const numbered = ({ funcs, strings, dsos: own }: Profile, dsoToGroup: Int32Array): Int32Array => {
    const found = new Int32Array(funcs.length);
    for (let func = 0; func < funcs.length; func++) {
      const dso = funcs.dso[func];
      const group = dso === NONE ? NONE : dsoToGroup[dso];
      const name = strings[funcs.name[func]];
      // The place at which a function begins tells which it is in one build only.
      const build = isPlaceName(name) && dso !== NONE ? (own[dso].buildId ?? '') : '';
      const key = `${group}\0${name}\0${build}`;
      const id = ids.get(key) ?? ids.size;
      ids.set(key, id);
      found[func] = id;
    }
    return found;
  };
  const mineIds = numbered(mine, dsos.mine);
  const otherIds = numbered(other, dsos.other);
  const sides: readonly [Side, Side] = [
    [mine, mineIds, dsos.mine],
    [other, otherIds, dsos.other],
  ];
  joinAlone(sides, withWholePath);
  joinAlone(sides, (profile, func) => withoutLine(nameOf(profile, func)));
  joinAlone(sides, (profile, func) => withoutLine(withWholePath(profile, func)));
  return { mine: mineIds, other: otherIds, count: ids.size, renamed: dsos.renamed };
}

/** Which functions of several recordings are the same. */
export type MatchedRuns = {
  /** One number a recording and FuncIndex, equal for the same function in all; below `count`. */
  readonly ids: readonly Int32Array[];
  readonly count: number;
  /** Files of different names in the first and the last recordings that are compared with each other. */
  readonly renamed: readonly DsoMatch[];
};

/**
 * Matches the functions of several recordings, each against all that come before it: `mine` first, then `others`. What
 * a function matches in the earliest of them, it is.
 */
export function matchRuns(mine: readonly Profile[], others: readonly Profile[]): MatchedRuns {
  const profiles = [...mine, ...others];
  if (mine.length === 1 && others.length === 1) {
    const { mine: here, other: there, ...matched } = matchFunctions(mine[0], others[0]);
    return { ids: [here, there], ...matched };
  }
  const ids: Int32Array[] = [];
  const renamed = new Map<string, DsoMatch>();
  let count = 0;
  for (const [run, profile] of profiles.entries()) {
    const own = new Int32Array(profile.funcs.length).fill(NONE);
    for (const [earlier, known] of ids.entries()) {
      const matched = matchFunctions(profiles[earlier], profile);
      if (earlier < mine.length && run >= mine.length) {
        for (const match of matched.renamed) renamed.set(JSON.stringify(match), match);
      }
      const idOf = new Map<number, number>();
      for (const [func, id] of matched.mine.entries()) idOf.set(id, known[func]);
      for (const [func, id] of matched.other.entries()) {
        if (own[func] === NONE) own[func] = idOf.get(id) ?? NONE;
      }
    }
    // Functions of no earlier recording: those of one name and file are one here as well.
    const fresh = new Map<number, number>();
    const within = matchFunctions(profile, profile).mine;
    for (const [func, id] of within.entries()) {
      if (own[func] !== NONE) continue;
      const known = fresh.get(id) ?? count++;
      fresh.set(id, known);
      own[func] = known;
    }
    ids.push(own);
  }
  return { ids, count, renamed: [...renamed.values()] };
}

type Side = readonly [profile: Profile, ids: Int32Array, dsoToGroup: Int32Array];

/** The line, or line and column, at the end of the name of a JavaScript function. */
const PLACE = /:\d+(:\d+)?$/;

function nameOf({ funcs, strings }: Profile, func: number): string {
  return strings[funcs.name[func]];
}

function withoutLine(name: string): string {
  return name.replace(PLACE, '');
}

/** `handle src/server.ts:12` as `handle /srv/src/server.ts:12`. */
function withWholePath(profile: Profile, func: number): string {
  const name = nameOf(profile, func);
  const file = profile.funcs.file[func];
  if (file === NONE) return name;
  const path = profile.strings[file];
  return `${scriptName(name, path)} ${path}${PLACE.exec(name)?.[0] ?? ''}`;
}

type KeyOf = (profile: Profile, func: number) => string;

/** Gives functions that only the other recording has the ids of those with the same key here. */
function joinAlone([mine, other]: readonly [Side, Side], keyOf: KeyOf): void {
  const alone = idsAlone(mine, new Set(other[1]), keyOf);
  const otherAlone = idsAlone(other, new Set(mine[1]), keyOf);
  const moved = new Map<number, number>();
  for (const [name, id] of otherAlone) {
    const own = alone.get(name);
    if (typeof own === 'number' && typeof id === 'number') moved.set(id, own);
  }
  if (moved.size === 0) return;
  const ids = other[1];
  for (let func = 0; func < ids.length; func++) {
    ids[func] = moved.get(ids[func]) ?? ids[func];
  }
}

/** JIT functions with a place whose ids are not among `known`, by key; null: there are several. */
function idsAlone(
  [profile, ids, dsoToGroup]: Side,
  known: ReadonlySet<number>,
  keyOf: KeyOf,
): Map<string, number | null> {
  const { funcs, dsos } = profile;
  const found = new Map<string, number | null>();
  for (let func = 0; func < funcs.length; func++) {
    const dso = funcs.dso[func];
    const id = ids[func];
    if (dso === NONE || dsos[dso].kind !== 'jit' || known.has(id)) continue;
    if (!PLACE.test(nameOf(profile, func))) continue;
    const key = `${dsoToGroup[dso]}\0${keyOf(profile, func)}`;
    const before = found.get(key);
    found.set(key, before === undefined || before === id ? id : null);
  }
  return found;
}

/** How comparisons call a function, its DSO and its file: JIT code is not that of one process. */
export function nameCompared(
  profile: Profile,
  func: number,
): { readonly name: string; readonly dso: string; readonly path: string } {
  const { dsos, funcs, strings } = profile;
  const dso = dsos[funcs.dso[func]];
  const file = funcs.file[func];
  const path = file === NONE ? '' : strings[file];
  const name = funcLabel(profile, func);
  if (dso === undefined || !isJitCode(dso)) return { name, dso: dso?.name ?? '', path };
  return { name: name === dso.name ? ALL_JIT.name : name, dso: ALL_JIT.name, path };
}
