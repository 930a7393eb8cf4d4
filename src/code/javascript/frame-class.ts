import { NONE } from '../../base/brand.ts';
import { isRootFunc } from '../../profile/analysis/cut-stacks.ts';
import { shortName } from '../../profile/short-name.ts';
import { FUNC_CATEGORIES, type Profile } from '../../profile/types.ts';
import { KERNEL, type KernelEntry, kernelEntry } from './kernel-entry.ts';
import { isRuntimeFile, isSystemLibrary, kindOfNative, type NativeKind } from './native-kind.ts';

/** The class of a function in the stacks of a program of JavaScript. */
export type FrameClass =
  /** JavaScript, WebAssembly and regular expressions: a frame of its own. */
  | { readonly is: 'script' }
  /** An addon or another library, a function without a name: a frame of its own. */
  | { readonly is: 'library' }
  /** Part of what called it. */
  | { readonly is: 'system' }
  /** In the binary that holds V8, and nothing more is known. */
  | { readonly is: 'binary'; readonly label: string }
  | { readonly is: 'native'; readonly kind: NativeKind }
  | { readonly is: 'kernel'; readonly entry: KernelEntry }
  /** States why a thread waits, on top of the stack. */
  | { readonly is: 'wait'; readonly isSleep: boolean };

const LIBRARY: FrameClass = { is: 'library' };
const SYSTEM: FrameClass = { is: 'system' };
const SCRIPT: FrameClass = { is: 'script' };

/** As `addWaitReasons` writes them: `[S sleeping in do_epoll_wait]`, `[woken by server/1234]`. */
const WAIT = /^\[(?:(?:[A-Za-z]\+?|\?) (?:\w+|state 0x\w+)(?: in .*)?|woken by .*)\]$/s;
/** Whose states are not known are those that gave the CPU up. */
const SLEEP = /^\[(?:S sleeping|\? waiting)\b/;

/** The class of each function, by its row. */
export function classifyFuncs(profile: Profile): FrameClass[] {
  const { funcs, strings, dsos } = profile;
  const rows = Array.from({ length: funcs.length }, (_, func) => func);
  const kinds = rows.map((func) => {
    if (isKernel(profile, func) || isScript(profile, func)) return null;
    return kindOfNative(shortName(strings[funcs.name[func]]), false);
  });
  const binaries = runtimeDsos(profile, kinds);
  return rows.map((func): FrameClass => {
    const name = strings[funcs.name[func]];
    if (WAIT.test(name)) return { is: 'wait', isSleep: SLEEP.test(name) };
    if (isKernel(profile, func)) return { is: 'kernel', entry: kernelEntry(name) ?? KERNEL };
    if (isScript(profile, func)) return SCRIPT;
    // Texts of other tools do not say in which library a thread begins.
    if (name.endsWith('@plt') || isRootFunc(name)) return SYSTEM;
    const kind = kinds[func];
    if (kind != null) return { is: 'native', kind };
    const dso = dsos[funcs.dso[func]];
    if (dso === undefined) return LIBRARY;
    if (binaries.has(funcs.dso[func])) {
      const inBinary = kindOfNative(shortName(name), true);
      return inBinary === null
        ? { is: 'binary', label: `(${dso.name})` }
        : { is: 'native', kind: inBinary };
    }
    return isSystemLibrary(dso.name) ? SYSTEM : LIBRARY;
  });
}

/** Whether functions of JavaScript have names: without them nothing is known to be before the rest. */
export function hasNamedScripts(profile: Profile): boolean {
  const { funcs } = profile;
  for (let func = 0; func < funcs.length; func++) {
    if (funcs.file[func] !== NONE && isNamedScript(profile, func)) return true;
  }
  return false;
}

/** A function that `nameScripts` named after its author's. */
function isNamedScript({ funcs, strings, dsos }: Profile, func: number): boolean {
  const category = FUNC_CATEGORIES[funcs.category[func]];
  if (category === 'user code' || category === 'dependency') return true;
  if (category !== 'node internal' || dsos[funcs.dso[func]] === undefined) return false;
  return !/(?:^|\s)node::/.test(strings[funcs.name[func]]);
}

function isScript(profile: Profile, func: number): boolean {
  if (isNamedScript(profile, func)) return true;
  const { funcs, strings, dsos } = profile;
  if (dsos[funcs.dso[func]]?.kind !== 'jit') return false;
  return /^(?:wasm-function|wasm\/|RegExp:)/.test(strings[funcs.name[func]]);
}

function isKernel({ funcs, dsos }: Profile, func: number): boolean {
  const kind = dsos[funcs.dso[func]]?.kind;
  return kind === 'kernel' || kind === 'module';
}

/** Kinds whose functions an addon may have within it, from headers or linked in. */
const ALSO_IN_ADDONS: ReadonlySet<NativeKind> = new Set([
  'idle',
  'poll',
  'libuv',
  'runtime',
  'node',
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
