import { NONE } from '../../base/brand.ts';
import { getOrMake } from '../../base/group-by.ts';
import { isUnnamed } from '../func-table.ts';
import { isJitCode } from '../jit-dso.ts';
import type { Dso, Profile } from '../types.ts';

/** Files of different names that are compared with each other. */
export type DsoMatch = { readonly name: string; readonly otherName: string };

/** DSOs of two recordings that are the same program or library. */
export type MatchedDsos = {
  /** One number a DsoIndex, equal for the same DSO in both. */
  readonly mine: Int32Array;
  readonly other: Int32Array;
  readonly renamed: readonly DsoMatch[];
};

/**
 * DSOs are the same, also within a recording, that
 *
 *  1. have the same build ID, or the same path, or hold JIT code: which process it was does not matter.
 *
 * What has no counterpart after that is led together if it is the only one of its kind on either side:
 *
 *  2. with the same file name, in another folder;
 *  3. with the same file name but for a version (`app-v1` and `app-v2`, `libfoo.so.1.2` and
 *     `libfoo.so.1.3`), if most of the functions of the one are also in the other.
 *
 * Last, with whatever name:
 *
 *  4. with most of the functions of the one also in the other, at least `LEAST_COMMON`.
 *
 * Where several could be meant, none is: functions then stand in two rows, which can be seen.
 */
export function matchDsos(mine: Profile, other: Profile): MatchedDsos {
  const sides = [mine, other] as const;
  const groups = new Groups(mine.dsos.length + other.dsos.length);
  const all: Entry[] = sides.flatMap(({ dsos }, side) =>
    dsos.map((dso, index) => ({ dso, side, index, row: index + side * mine.dsos.length })),
  );
  const seen = new Map<string, number>();
  for (const { dso, row } of all) {
    for (const key of identitiesOf(dso)) {
      const before = seen.get(key);
      if (before === undefined) seen.set(key, row);
      else groups.join(before, row);
    }
  }
  const used = sides.map(usedDsos);
  const candidates = all.filter(({ side, index }) => used[side].has(index));
  joinOnlyOnes(candidates, groups, nameOf, () => true);
  const functions = sides.map(functionNames);
  joinOnlyOnes(candidates, groups, stemOf, (a, b) =>
    areAlike(functions[a.side].get(a.index), functions[b.side].get(b.index)),
  );
  joinAlike(candidates, groups, functions);
  const rootOf = (row: number): number => groups.rootOf(row);
  return {
    mine: Int32Array.from(mine.dsos, (_, index) => rootOf(index)),
    other: Int32Array.from(other.dsos, (_, index) => rootOf(mine.dsos.length + index)),
    renamed: renamedOf(candidates, groups),
  };
}

type Entry = {
  readonly dso: Dso;
  /** 0: mine, 1: the other. */
  readonly side: number;
  readonly index: number;
  /** Entry in `Groups`. */
  readonly row: number;
};

function identitiesOf({ kind, name, path, buildId }: Dso): string[] {
  if (isJitCode({ kind, name })) return ['jit'];
  const place = `path ${withoutDeleted(path)}`;
  return buildId === null || buildId === '' ? [place] : [place, `build ID ${buildId}`];
}

function withoutDeleted(path: string): string {
  return path.replace(/ \(deleted\)$/, '');
}

function nameOf({ name }: Dso): string {
  return withoutDeleted(name);
}

/** The file name without versions and what else tells builds of one program apart. */
function stemOf(dso: Dso): string {
  const stem = nameOf(dso)
    .replace(/[-_.]?v?\d+([._-]\d+)*(?=$|[-_.])/gi, '')
    .replace(/[-_.](old|new|orig|before|after|base|head|prev|bak)$/i, '');
  return stem === '' ? nameOf(dso) : stem;
}

/**
 * Joins groups that are on one side only, where one on each side has the same `keyOf` and no other
 * has it.
 */
function joinOnlyOnes(
  candidates: readonly Entry[],
  groups: Groups,
  keyOf: (dso: Dso) => string,
  mayJoin: (mine: Entry, other: Entry) => boolean,
): void {
  const byKey = new Map<string, Map<number, Entry>[]>();
  for (const entry of entriesAlone(candidates, groups)) {
    const root = groups.rootOf(entry.row);
    const key = keyOf(entry.dso);
    const found = getOrMake(byKey, key, () => [new Map(), new Map()]);
    found[entry.side].set(root, entry);
  }
  for (const [mine, other] of byKey.values()) {
    if (mine.size !== 1 || other.size !== 1) continue;
    const [[, a]] = [...mine] as [[number, Entry]];
    const [[, b]] = [...other] as [[number, Entry]];
    if (a.dso.kind === b.dso.kind && mayJoin(a, b)) groups.join(a.row, b.row);
  }
}

/** Programs of other names have less in common: `main`, `_start`. */
const LEAST_COMMON = 3;

/** Joins programs and libraries without a counterpart that have most functions in common with one only. */
function joinAlike(
  candidates: readonly Entry[],
  groups: Groups,
  functions: readonly ReadonlyMap<number, ReadonlySet<string>>[],
): void {
  const alone = entriesAlone(candidates, groups).filter(({ dso }) => dso.kind === 'user');
  const [mine, others] = [0, 1].map((wanted) => alone.filter(({ side }) => side === wanted));
  const namesOf = ({ side, index }: Entry) => functions[side].get(index);
  const isAlike = (a: Entry, b: Entry): boolean => areAlike(namesOf(a), namesOf(b), LEAST_COMMON);
  for (const entry of mine) {
    const [found, second] = others.filter((other) => isAlike(entry, other));
    if (found === undefined || second !== undefined) continue;
    if (mine.filter((other) => isAlike(other, found)).length === 1) {
      groups.join(entry.row, found.row);
    }
  }
}

/** DSOs of groups that are on one side only. */
function entriesAlone(candidates: readonly Entry[], groups: Groups): Entry[] {
  const sidesOf = new Map<number, number>();
  for (const { row, side } of candidates) {
    const root = groups.rootOf(row);
    sidesOf.set(root, (sidesOf.get(root) ?? 0) | (1 << side));
  }
  return candidates.filter(({ row }) => sidesOf.get(groups.rootOf(row)) !== 3);
}

/** DSOs that functions are in. */
function usedDsos({ funcs }: Profile): Set<number> {
  return new Set(funcs.dso.filter((dso) => dso !== NONE));
}

/** Names of functions by DSO. */
function functionNames({ funcs, strings }: Profile): Map<number, Set<string>> {
  const names = new Map<number, Set<string>>();
  for (let func = 0; func < funcs.length; func++) {
    const dso = funcs.dso[func];
    const name = strings[funcs.name[func]];
    if (isUnnamed(name)) continue;
    const known = names.get(dso);
    if (known === undefined) names.set(dso, new Set([name]));
    else known.add(name);
  }
  return names;
}

/** Whether at least half of the functions of the smaller one are in the other, and so many. */
function areAlike(
  a: ReadonlySet<string> | undefined,
  b: ReadonlySet<string> | undefined,
  least = 0,
): boolean {
  if (a === undefined || b === undefined) return false;
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let common = 0;
  for (const name of small) if (large.has(name)) common++;
  return common >= small.size / 2 && common >= least;
}

function renamedOf(candidates: readonly Entry[], groups: Groups): DsoMatch[] {
  const names = new Map<number, [Set<string>, Set<string>]>();
  for (const { dso, side, row } of candidates) {
    if (isJitCode(dso)) continue;
    const root = groups.rootOf(row);
    const known = names.get(root) ?? [new Set<string>(), new Set<string>()];
    names.set(root, known);
    known[side].add(nameOf(dso));
  }
  return [...names.values()].flatMap(([mine, other]): DsoMatch[] => {
    const [name] = mine;
    const [otherName] = other;
    if (name === undefined || otherName === undefined) return [];
    return [...mine].some((known) => other.has(known)) ? [] : [{ name, otherName }];
  });
}

/** Disjoint sets of rows; a set goes by its smallest row. */
class Groups {
  readonly #parent: Int32Array;

  constructor(length: number) {
    this.#parent = Int32Array.from({ length }, (_, row) => row);
  }

  rootOf(row: number): number {
    let root = row;
    while (this.#parent[root] !== root) root = this.#parent[root];
    this.#parent[row] = root;
    return root;
  }

  join(a: number, b: number): void {
    const [first, second] = [this.rootOf(a), this.rootOf(b)];
    this.#parent[Math.max(first, second)] = Math.min(first, second);
  }
}
