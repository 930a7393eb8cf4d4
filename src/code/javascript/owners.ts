import { NONE } from '../../base/brand.ts';
import { isKindOfCode } from '../../profile/frame-level.ts';
import { categoryRow, LOST_FUNC_NAME, UNKNOWN_FUNC_NAME } from '../../profile/func-table.ts';
import { type Dso, FUNC_CATEGORIES, type FuncCategory, type Profile } from '../../profile/types.ts';
import { isExecutable, libraryKind } from '../native-frames/library-kind.ts';
import { classifyNative, type NativeClass } from '../native-frames/native-class.ts';
import { classifyWithRuntime, type FrameClass, hasNamedScripts } from './frame-class.ts';
import { categoryOfKind, kindFacts } from './native-kind.ts';
import { pathInBundle } from './script-path.ts';

/**
 * The owner of a script. `ran` is the path or URL that V8 was given, `written` the path that a source map has for
 * it. The file that ran decides: maps of packages lead to their authors' sources, `webpack://next/src/…`, which lie
 * in no node_modules. In a file of the program a map tells the packages that a bundler has put there, and what compilers
 * have added by leaving it out (`isHelper`). So it does in what a tool keeps below node_modules, as Vite the configuration.
 */
export function ownerOfScript(ran: string, written: string, isHelper = false): FuncCategory {
  if (OF_RUNTIME.test(ran)) return 'node internal';
  const isPackage = ran.includes(MODULES) && !OF_TOOL.test(ran);
  if (isHelper || isPackage || written.includes(MODULES)) return 'dependency';
  // The bundler's own runtime: `webpack://shop/webpack/bootstrap`, or a file.
  if (OF_BUNDLER.test(ran)) return 'dependency';
  return OF_RUNTIME_MODULES.test(pathInBundle(written) ?? written) ? 'dependency' : 'user code';
}

const OF_RUNTIME = /^(?:(?:node|ext|bun|deno|chrome|chrome-untrusted|devtools):|internal\/)/;
const MODULES = '/node_modules/';
/** Files that a tool keeps, in a folder that is no package's; Yarn has packages in `.store`. */
const OF_TOOL = /\/node_modules\/\.(?!store\/)(?:(?!\/node_modules\/).)*$/;
/** Files of frameworks' builds, and Yarn's, that have the loader of modules, or the server, and nothing of the program. */
const OF_BUNDLER =
  /\/\.pnp\.(?:c?js|loader\.mjs)$|\/\.yarn\/releases\/|\/\.next\/.*\/(?:webpack-(?:api-)?runtime|\[turbopack\]_runtime)\.js$|\/\.output\/server\/chunks\/(?:_|nitro)\/nitro\.mjs$/;
/**
 * Modules that bundlers write: webpack's and Turbopack's loader, webpack's modules without a file (`?10ed`, `external
 * commonjs "next"`), and those of Rollup's plugins, which begin with a NUL. A package's own map leads from its `dist` to its `src`, which
 * bundlers then count from the project (`webpack:///../../../src/client/link.tsx`): no folder of a workspace is named in between.
 */
const OF_RUNTIME_MODULES = /^(?:webpack\/|\[turbopack\]\/|\?|external |(?:\.\.\/)+src\/)|\0/;
/** The name that `node:vm` gives code without one. */
const OF_VM = 'evalmachine.<anonymous>';

/**
 * The profile with the owner of each function, `FuncTable.category`. Functions of JavaScript with a file have theirs
 * already. Those without one were compiled from text, by `eval` or `new Function`: they belong to the functions that
 * call them, since V8 does not report which function compiled them.
 */
export function withOwners(profile: Profile): Profile {
  const { funcs } = profile;
  const category = Uint8Array.from(ownersOfNative(profile), (owner, func) =>
    owner === null ? funcs.category[func] : categoryRow(owner),
  );
  const withNative: Profile = { ...profile, funcs: { ...funcs, category } };
  setOwnersOfGenerated(withNative, category);
  return withNative;
}

/** Finds the owner of each function; null where its category stays: that of a script, or of a kind of code. */
function ownersOfNative(profile: Profile): (FuncCategory | null)[] {
  const { funcs, strings, dsos } = profile;
  const { classes, runtimes } = classifyWithRuntime(profile);
  const natives = classifyNative(profile);
  const hasScripts = hasNamedScripts(profile);
  return classes.map((found, func) => {
    const name = strings[funcs.name[func]];
    const dso = dsos[funcs.dso[func]];
    if (isKindOfCode(name, funcs.dso[func])) return categoryOfKind(name);
    if (dso?.kind === 'guest' || name === LOST_FUNC_NAME) return 'unknown';
    // Without V8, functions called like libuv's and V8's are those of other programs.
    const mayBeOthers = dso?.kind === 'user' && runtimes.size === 0;
    const owner = found.is === 'native' && mayBeOthers ? undefined : ownerByClass(found, name);
    if (owner !== undefined) return owner;
    switch (dso?.kind) {
      case 'user':
        return ownerInFile(natives[func], dso, hasScripts);
      case 'vdso':
        return libraryKind(dso).category;
      case 'jit':
        if (name === UNKNOWN_FUNC_NAME) return 'unknown';
        return hasScripts ? 'native' : 'user code';
      default:
        return ownerInNoFile(natives[func], name, hasScripts);
    }
  });
}

/** Undefined where the class does not decide; null where the category stays. */
function ownerByClass(found: FrameClass, name: string): FuncCategory | null | undefined {
  switch (found.is) {
    case 'script':
      return ownerOfOtherScript(name);
    case 'kernel':
    case 'wait':
      return 'kernel';
    case 'binary':
      // Containers of V8's are in Node's binary, too: `std::find_if<v8::internal::…>`.
      return name.includes('v8::') ? 'V8' : 'node internal';
    case 'native':
      return kindFacts(found.kind).category;
    default:
      return undefined;
  }
}

/** Code of scripts without functions of JavaScript in it: regular expressions are V8's, WebAssembly anybody's. */
function ownerOfOtherScript(name: string): FuncCategory | null {
  if (/^RegExp[:.]/.test(name)) return 'V8';
  return /^wasm/.test(name) ? 'native' : null;
}

function ownerInFile(found: NativeClass, dso: Dso, hasScripts: boolean): FuncCategory {
  if (dso.path.includes(MODULES)) return 'dependency';
  // Beside JavaScript, tools that are installed are not the program.
  if (hasScripts && isExecutable(dso) && INSTALLED.test(dso.path)) return 'native';
  if (found.is === 'library') return found.library.category;
  return found.is === 'own' && found.startUp === 'entry' ? 'libc' : 'user code';
}

const INSTALLED = /^\/(?:usr|s?bin|lib\w*|opt|snap|nix)\//;

/** A function of a text, which has no files: only some names tell the owner. */
function ownerInNoFile(found: NativeClass, name: string, hasScripts: boolean): FuncCategory {
  if (found.is === 'library') return found.library.category;
  if (found.is !== 'own' || name.startsWith('[')) return 'unknown';
  if (found.startUp === 'entry') return 'libc';
  // In profiles of V8, functions that are in no script are the bindings of the runtime.
  return hasScripts || LABEL_OF_NODE.test(name) ? 'node internal' : 'unknown';
}

/** `emit node:events:471`, as exports of recordings write functions of Node. */
const LABEL_OF_NODE = / (?:node:|internal\/)[\w/]+(?::\d+){1,2}$/;

/**
 * Sets the categories of functions that have no file: the category of the function with a file that calls them in
 * most samples, Node's own aside. Without such a function they are unknown, unless no script of the recording has a
 * file: Bun reports names only.
 */
function setOwnersOfGenerated(profile: Profile, category: Uint8Array): void {
  const { funcs, frames, stacks, samples, strings } = profile;
  const isGenerated = Uint8Array.from(funcs.isScript, (is, func) =>
    is === 1 && (funcs.file[func] === NONE || strings[funcs.file[func]] === OF_VM) ? 1 : 0,
  );
  if (!isGenerated.includes(1) || !hasNamedScripts(profile)) return;
  const through = new Float64Array(stacks.length);
  for (let i = 0; i < samples.length; i++)
    if (samples.stack[i] !== NONE) through[samples.stack[i]]++;
  for (let row = stacks.length - 1; row >= 0; row--) {
    if (stacks.prefix[row] !== NONE) through[stacks.prefix[row]] += through[row];
  }
  const owners = FUNC_CATEGORIES.length;
  const votes = new Float64Array(funcs.length * owners);
  const callerOf = new Int32Array(stacks.length).fill(NONE);
  for (let row = 0; row < stacks.length; row++) {
    const func = frames.func[stacks.frame[row]];
    const prefix = stacks.prefix[row];
    const caller = prefix === NONE ? NONE : callerOf[prefix];
    const isAuthor = funcs.isScript[func] === 1 && isGenerated[func] === 0;
    callerOf[row] = isAuthor && category[func] !== NODE_INTERNAL ? func : caller;
    if (isGenerated[func] === 1 && caller !== NONE) {
      votes[func * owners + category[caller]] += through[row];
    }
  }
  for (let func = 0; func < funcs.length; func++) {
    if (isGenerated[func] === 0) continue;
    const own = votes.subarray(func * owners, (func + 1) * owners);
    const most = Math.max(...own);
    category[func] = most === 0 ? UNKNOWN : own.indexOf(most);
  }
}

const NODE_INTERNAL = categoryRow('node internal');
const UNKNOWN = categoryRow('unknown');
