import { NONE } from '../../base/brand.ts';
import { isOwnAddon, isOwnScript } from '../../base/own-files.ts';
import { isRootFunc } from '../../profile/analysis/stacks/cut-stacks.ts';
import { UNKNOWN_FUNC_NAME } from '../../profile/func-table.ts';
import { shortName } from '../../profile/short-name.ts';
import type { Profile } from '../../profile/types.ts';
import {
  C_LIBRARY,
  isSystemLibrary,
  type Library,
  libraryKind,
} from '../native-frames/library-kind.ts';
import { type OutsideClass, outsideClass } from '../native-frames/outside-class.ts';
import { isRuntimeFile, isUvWorker, kindOfNative, type NativeKind } from './native-kind.ts';

/** The class of a function in the stacks of a program of JavaScript. */
export type FrameClass =
  /**
   * JavaScript, WebAssembly and regular expressions: a frame of its own. `isStart`: what Node's start had compiled before V8 was
   * asked for names; such functions in a row are one frame.
   */
  | { readonly is: 'script'; readonly isStart: boolean }
  /** An addon or another library, a function without a name: a frame of its own. */
  | { readonly is: 'library' }
  /** Part of what called it; at the root one frame. */
  | { readonly is: 'system'; readonly library: Library; readonly startsThreads: boolean }
  /** Code in no file: frame pointers that are none lead there. */
  | { readonly is: 'unmapped' }
  /** Code in the binary that holds V8, of which nothing more is known. */
  | { readonly is: 'binary'; readonly label: string }
  | { readonly is: 'native'; readonly kind: NativeKind }
  | OutsideClass;

const LIBRARY: FrameClass = { is: 'library' };
const UNMAPPED: FrameClass = { is: 'unmapped' };
const SCRIPT: FrameClass = { is: 'script', isStart: false };
const START: FrameClass = { is: 'script', isStart: true };
const RECORDER: FrameClass = { is: 'native', kind: 'recorder' };
/** The traps of `src/register`, which hand a call of the program over: what it leads to is the program's, as with V8's own of a Proxy. */
const TRAP: FrameClass = { is: 'native', kind: 'builtin' };
const TRAP_NAME = /^(?:JS:\W?)?(?:perfTsWatched|apply|construct)(?= |$)/;

/** The class of each function, by its row. */
export function classifyFuncs(profile: Profile): FrameClass[] {
  return classifyWithRuntime(profile).classes;
}

/** Classes of functions, and the DSOs in which V8 lies. */
export function classifyWithRuntime(profile: Profile): {
  readonly classes: FrameClass[];
  readonly runtimes: ReadonlySet<number>;
} {
  const { funcs, strings, dsos } = profile;
  const rows = Array.from({ length: funcs.length }, (_, func) => func);
  const outside = rows.map((func) =>
    outsideClass(strings[funcs.name[func]], dsos[funcs.dso[func]]),
  );
  const kinds = rows.map((func) => {
    if (outside[func] !== null || isScript(profile, func)) return null;
    return kindOfNative(shortName(strings[funcs.name[func]]));
  });
  const binaries = runtimeDsos(profile, kinds);
  const classes = outside.map((found, func): FrameClass => {
    if (found !== null) return found;
    const name = strings[funcs.name[func]];
    if (isScript(profile, func)) {
      const file = strings[funcs.file[func]] ?? '';
      // `kBootstrapName` in native/core/code_events/code_listener.cc.
      if (file === 'node:internal/bootstrap') return START;
      if (!isOwnScript(file)) return SCRIPT;
      return TRAP_NAME.test(name) ? TRAP : RECORDER;
    }
    // Texts of other tools do not say in which library a thread begins.
    const dso = dsos[funcs.dso[func]];
    if (name.endsWith('@plt') || isRootFunc(name)) {
      const library = dso === undefined ? C_LIBRARY : libraryKind(dso);
      return { is: 'system', library, startsThreads: isRootFunc(name) };
    }
    const kind = kinds[func];
    if (kind != null) return { is: 'native', kind };
    if (name === UNKNOWN_FUNC_NAME && (dso === undefined || dso.kind === 'unknown'))
      return UNMAPPED;
    if (dso === undefined) return LIBRARY;
    if (dso.kind === 'user' && isOwnAddon(dso.path)) return RECORDER;
    if (binaries.has(funcs.dso[func])) {
      return isUvWorker(shortName(name))
        ? { is: 'native', kind: 'uvWorker' }
        : { is: 'binary', label: libraryKind(dso).label };
    }
    return isSystemLibrary(dso.name)
      ? { is: 'system', library: libraryKind(dso), startsThreads: false }
      : LIBRARY;
  });
  return { classes, runtimes: binaries };
}

/** Whether functions of JavaScript have names: without them nothing is known to be before the rest. */
export function hasNamedScripts(profile: Profile): boolean {
  const { funcs } = profile;
  for (let func = 0; func < funcs.length; func++) {
    if (funcs.file[func] !== NONE && funcs.isScript[func] === 1) return true;
  }
  return false;
}

function isScript({ funcs, strings, dsos }: Profile, func: number): boolean {
  if (funcs.isScript[func] === 1) return true;
  if (dsos[funcs.dso[func]]?.kind !== 'jit') return false;
  return /^(?:wasm-function|wasm\/|RegExp[:.])/.test(strings[funcs.name[func]]);
}

/** Kinds whose functions an addon may have within it, from headers or linked in. */
const ALSO_IN_ADDONS: ReadonlySet<NativeKind> = new Set([
  'idle',
  'poll',
  'libuv',
  'runtime',
  'node',
  'recorder',
]);

/** The files in which V8 lies: those with its functions, or by name where they have no symbols. */
function runtimeDsos(
  { funcs, dsos }: Profile,
  kinds: readonly (NativeKind | null)[],
): ReadonlySet<number> {
  const found = new Set<number>();
  kinds.forEach((kind, func) => {
    if (kind !== null && !ALSO_IN_ADDONS.has(kind)) found.add(funcs.dso[func]);
  });
  dsos.forEach(({ name, kind }, dso) => {
    if (kind !== 'user' || name.endsWith('.node')) found.delete(dso);
    else if (isRuntimeFile(name)) found.add(dso);
  });
  return found;
}
