import { NONE } from '../base/brand.ts';
import { UNKNOWN_FUNC_NAME } from './func-table.ts';
import type { Profile } from './types.ts';

/**
 * A function's name where its DSO does not stand beside it. Code without a symbol is called by
 * its DSO, `[libc.so.6]` or `[[kernel.kallsyms]]`, as FlameGraph's stackcollapse-perf.pl does, and
 * `[JIT] tid 12`; code outside every mapping is `[unknown]`.
 */
export function funcLabel(profile: Profile, func: number): string {
  const name = profile.strings[profile.funcs.name[func]];
  if (name !== UNKNOWN_FUNC_NAME) return name;
  const dsoIndex = profile.funcs.dso[func];
  if (dsoIndex === NONE) return UNKNOWN_FUNC_NAME;
  const dso = profile.dsos[dsoIndex];
  if (dso === undefined || dso.name === UNKNOWN_FUNC_NAME) return UNKNOWN_FUNC_NAME;
  if (dso.kind === 'jit' && dso.name.startsWith('[')) return dso.name;
  return `[${dso.name.slice(dso.name.lastIndexOf('/') + 1)}]`;
}
