import { NONE } from '../base/brand.ts';
import type { Dso, Profile } from './types.ts';

/**
 * The text that says where code lies, for everybody who shows it: the path of a file; of JIT code, which
 * lies in none, the process, `[JIT] tid 12`. Empty without a DSO.
 */
export function dsoPlace(dso: Dso | undefined): string {
  if (dso === undefined) return '';
  return dso.kind === 'jit' ? dso.name : dso.path;
}

const labels = new WeakMap<readonly Dso[], readonly string[]>();

/**
 * The name of a DSO in a column, by which it is one among all of the profile: its short name, or its path where a file
 * elsewhere has the same. Empty without a DSO.
 */
export function dsoLabel({ dsos }: Pick<Profile, 'dsos'>, dso: number): string {
  if (dso === NONE) return '';
  let found = labels.get(dsos);
  if (found === undefined) {
    const firstPath = new Map<string, string>();
    const several = new Set<string>();
    for (const { name, path } of dsos) {
      if ((firstPath.get(name) ?? path) !== path) several.add(name);
      firstPath.set(name, path);
    }
    found = dsos.map((each) => (several.has(each.name) ? dsoPlace(each) : each.name));
    labels.set(dsos, found);
  }
  return found[dso] ?? '';
}
