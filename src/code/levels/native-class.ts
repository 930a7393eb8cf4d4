import { UNKNOWN_FUNC_NAME } from '../../profile/func-table.ts';
import type { Profile } from '../../profile/types.ts';
import { KERNEL, type KernelEntry, kernelEntry } from './kernel-entry.ts';
import { isExecutable, isSystemLibrary, type Library, libraryKind } from './library-kind.ts';
import { dsosOfGo, linkedLibrary } from './linked-library.ts';
import { type StartUp, startUpOf } from './start-up.ts';
import { isWaitFrame } from './wait-frame.ts';

/** The class of a function in the stacks of a native program. */
export type NativeClass =
  /** A function of an executable, of code that the program made itself, or of no file: it stays. */
  | { readonly is: 'own'; readonly startUp: StartUp | null }
  | {
      readonly is: 'library';
      readonly library: Library;
      readonly isSystem: boolean;
      /** It lies in the executable: the standard library, or code without names. */
      readonly isLinked: boolean;
      readonly startUp: StartUp | null;
    }
  | { readonly is: 'kernel'; readonly entry: KernelEntry }
  | { readonly is: 'wait' };

/** The class of each function, by its row. */
export function classifyNative(profile: Profile): NativeClass[] {
  const { funcs, strings, dsos } = profile;
  const ofGo = dsosOfGo(profile);
  return Array.from({ length: funcs.length }, (_, func): NativeClass => {
    const name = strings[funcs.name[func]];
    const dso = dsos[funcs.dso[func]];
    if (isWaitFrame(name)) return { is: 'wait' };
    if (dso?.kind === 'kernel' || dso?.kind === 'module') {
      return { is: 'kernel', entry: kernelEntry(name) ?? KERNEL };
    }
    const startUp = startUpOf(name, dso?.name ?? '');
    const isLibrary = dso?.kind === 'vdso' || (dso?.kind === 'user' && !isExecutable(dso));
    if (isLibrary) {
      const isSystem = isSystemLibrary(dso.name);
      return { is: 'library', library: libraryKind(dso), isSystem, isLinked: false, startUp };
    }
    // An executable without symbols has no names, so that its file is all that can be told.
    const isUnnamed = name === UNKNOWN_FUNC_NAME && dso?.kind === 'user';
    const library = isUnnamed ? libraryKind(dso) : linkedLibrary(name, ofGo.has(funcs.dso[func]));
    return library === null
      ? { is: 'own', startUp }
      : { is: 'library', library, isSystem: false, isLinked: true, startUp };
  });
}

/**
 * Whether a level shows less of a native program than another: it has start-up, or libraries and the
 * kernel beside functions of an executable.
 */
export function isFoldable(profile: Profile): boolean {
  const { funcs, dsos } = profile;
  const classes = classifyNative(profile);
  const hasExecutable = classes.some((found, func) => {
    const dso = dsos[funcs.dso[func]];
    return found.is === 'own' && dso !== undefined && isExecutable(dso);
  });
  return classes.some((found) => {
    if (found.is === 'own') return found.startUp === 'entry';
    return hasExecutable && found.is !== 'wait';
  });
}
