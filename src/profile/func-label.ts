import { NONE } from '../base/brand.ts';
import { isKindOfCode } from './frame-level.ts';
import { UNKNOWN_FUNC_NAME } from './func-table.ts';
import { isJitCode } from './jit-dso.ts';
import { ALL_JIT } from './join-same-code.ts';
import { lostFunc } from './losses.ts';
import { nameInFile } from './script-name.ts';
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

/**
 * A function as two columns show it: `app.js:4` and `parse`, `libc.so.6` and `malloc`. The first is empty for code whose
 * file is not known, for kinds of code, and for what was lost.
 */
export function fileAndName(profile: Profile, func: number): readonly [file: string, name: string] {
  const { funcs, strings, dsos } = profile;
  const label = funcLabel(profile, func);
  const dso = dsos[funcs.dso[func]];
  const isNowhere = dso === undefined || isKindOfCode(strings[funcs.name[func]], funcs.dso[func]);
  if (func === lostFunc(profile)) return ['', label];
  const place = isNowhere ? '' : isJitCode(dso) ? ALL_JIT.name : dso.name;
  return nameInFile(label, strings[funcs.file[func]] ?? '', place);
}
