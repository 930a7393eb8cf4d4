import { NONE } from '../base/brand.ts';
import { PairInterner } from '../base/pair-interner.ts';
import { isJitCode } from './jit-dso.ts';
import type { Dso, DsoIndex, Profile } from './types.ts';

/** The JIT code of all processes, as a DSO. */
export const ALL_JIT: Dso = { kind: 'jit', name: '[JIT]', path: '[JIT]', buildId: null };

/**
 * The profile with one row for each function, whatever process ran it. Functions of one name are the
 * same in JIT code of any process, and in files of one name and build ID at several paths:
 *
 *     parse  [JIT] tid 12                       parse  [JIT]
 *     parse  [JIT] tid 13                ──▶    work   libx.so
 *     work   /a/libx.so  (build ID 7f…)
 *     work   /b/libx.so  (build ID 7f…)
 *
 * Frames keep their own DSO, in which their address is. DSOs of which `staysApart` holds are left alone.
 */
export function joinSameCode(
  profile: Profile,
  staysApart: (dso: number) => boolean = () => false,
): Profile {
  const { funcs, frames } = profile;
  const { dsoOf, dsos } = sameDsos(profile, staysApart);
  if (dsoOf.every((same, dso) => same === dso)) return profile;
  const rows = new PairInterner();
  const firstFunc: number[] = [];
  const newFunc = funcs.name.map((name, func) => {
    const dso = funcs.dso[func];
    const row = rows.intern(name, dso === NONE ? NONE : dsoOf[dso]);
    if (row === firstFunc.length) firstFunc.push(func);
    return row;
  });
  const taken = Int32Array.from(firstFunc);
  return {
    ...profile,
    dsos,
    funcs: {
      length: rows.length,
      name: rows.first.finish(),
      dso: rows.second.finish(),
      category: Uint8Array.from(taken, (func) => funcs.category[func]),
      isScript: Uint8Array.from(taken, (func) => funcs.isScript[func]),
      file: taken.map((func) => funcs.file[func]),
      line: taken.map((func) => funcs.line[func]),
      column: taken.map((func) => funcs.column[func]),
      v8Name: taken.map((func) => funcs.v8Name[func]),
    },
    frames: { ...frames, func: frames.func.map((func) => newFunc[func]) },
  };
}

/** Finds the DSO that stands for each, and adds that of all JIT code where several processes have some. */
function sameDsos(
  { dsos, funcs }: Profile,
  staysApart: (dso: number) => boolean,
): { readonly dsoOf: Int32Array; readonly dsos: readonly Dso[] } {
  const used = new Set<number>(funcs.dso);
  const isJit = dsos.map((dso, row) => used.has(row) && isJitCode(dso) && !staysApart(row));
  const isFromSeveral = isJit.filter(Boolean).length > 1;
  const first = new Map<string, DsoIndex>();
  const dsoOf = Int32Array.from(dsos, ({ kind, name, buildId }, row) => {
    if (isJit[row]) return isFromSeveral ? dsos.length : row;
    if (buildId === null || buildId === '' || !used.has(row)) return row;
    const key = JSON.stringify([kind, name, buildId]);
    const known = first.get(key) ?? (row as DsoIndex);
    first.set(key, known);
    return known;
  });
  return { dsoOf, dsos: isFromSeveral ? [...dsos, ALL_JIT] : dsos };
}
