import type { Dso } from './types.ts';

/**
 * The text that says where code lies, for everybody who shows it: the path of a file; of JIT code, which
 * lies in none, the process, `[JIT] tid 12`. Empty without a DSO.
 */
export function dsoPlace(dso: Dso | undefined): string {
  if (dso === undefined) return '';
  return dso.kind === 'jit' ? dso.name : dso.path;
}
