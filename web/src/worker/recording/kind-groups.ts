import { isOwnScript } from '../../../../src/base/own-files.ts';
import { classifyFuncs, hasNamedScripts } from '../../../../src/code/javascript/frame-class.ts';
import { kindOfNative, type NativeKind } from '../../../../src/code/javascript/native-kind.ts';
import { isExecutable } from '../../../../src/code/levels/library-kind.ts';
import { standardKind } from '../../../../src/code/levels/start-up.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import { UNKNOWN_FUNC_NAME } from '../../../../src/profile/func-table.ts';
import { shortName } from '../../../../src/profile/short-name.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import { KIND_GROUPS, type KindGroup } from '../messages/kind-group.ts';
import type { FrameKind } from '../messages/messages.ts';

/** A recording that tells the kinds of its functions. */
type NamedRecording = { readonly page: PageProfile; kindOf(func: number): FrameKind };

/**
 * Row of `KIND_GROUPS` by FuncIndex. It is that of the function, whatever the level: frames of
 * `v8::internal::Heap::Scavenge` and of `(garbage collector)` are of one group. Imported text does not
 * say whose a function is: those that no name tells are the program's.
 */
export function groupsOfFuncs(recording: NamedRecording): Uint8Array {
  const { page } = recording;
  const { profile } = page;
  const { funcs, strings } = profile;
  const classes = classifyFuncs(profile);
  const ownDsos = findOwnDsos(profile);
  const isText = page.weights[page.firstWeight]?.areOfText === true;
  return Uint8Array.from({ length: funcs.length }, (_, func) => {
    const found = classes[func];
    if (found.is === 'wait') return KIND_GROUPS.indexOf('kernel');
    const name = strings[funcs.name[func]];
    // Containers of V8's are in Node's binary, too: `std::find_if<v8::internal::…>`.
    if (found.is === 'binary') return KIND_GROUPS.indexOf(name.includes('v8::') ? 'v8' : 'node');
    if (isOwnScript(strings[funcs.file[func]] ?? '')) return KIND_GROUPS.indexOf('node');
    const kind = recording.kindOf(func);
    const group = groupOf(kind, name);
    const isUntold = isText && kind === 'unknown' && group === 'unknown' && !name.startsWith('[');
    const isInProgram = (kind === 'native' || group === 'native') && ownDsos.has(funcs.dso[func]);
    const isOwn = isUntold || (isInProgram && standardKind(name) === null);
    return KIND_GROUPS.indexOf(isOwn ? 'own' : group);
  });
}

/** The group of a function by its kind and name alone: it lies in no executable of the program. */
export function groupOf(kind: FrameKind, name: string): KindGroup {
  switch (kind) {
    case 'user code':
      return 'own';
    case 'dependency':
      return 'dependency';
    case 'kernel':
    case 'module':
      return 'kernel';
    case 'guest':
    case 'root':
    case 'lost':
    case 'folded':
      return 'unknown';
    case 'vdso':
      return 'native';
    default:
      return groupOfLabel(name) ?? groupOfNative(name) ?? GROUP_OF_REST[kind](name);
  }
}

/** Groups of functions that their names don't tell. */
const GROUP_OF_REST: Readonly<
  Record<'node internal' | 'V8' | 'native' | 'jit' | 'unknown', (name: string) => KindGroup>
> = {
  'node internal': () => 'node',
  V8: () => 'v8',
  native: () => 'native',
  jit: (name) => (name === UNKNOWN_FUNC_NAME ? 'unknown' : 'native'),
  unknown: () => 'unknown',
};

/** Kinds of code whose group is not that of their category. */
function groupOfLabel(name: string): KindGroup | null {
  switch (name) {
    case '(garbage collector)':
      return 'gc';
    case '(libuv)':
    case '(libuv worker)':
      return 'native';
    case '(JIT code without names)':
      return 'unknown';
    default:
      return null;
  }
}

function groupOfNative(name: string): KindGroup | null {
  const kind = kindOfNative(shortName(name));
  return kind === null ? null : GROUP_OF_NATIVE[kind];
}

const GROUP_OF_NATIVE: Readonly<Record<NativeKind, KindGroup>> = {
  builtin: 'v8',
  runtime: 'v8',
  parse: 'v8',
  sparkplug: 'v8',
  maglev: 'v8',
  turbofan: 'v8',
  wasm: 'v8',
  v8Worker: 'v8',
  gc: 'gc',
  idle: 'node',
  node: 'node',
  microtasks: 'node',
  startUp: 'node',
  eventLoop: 'node',
  inspector: 'node',
  poll: 'native',
  libuv: 'native',
  uvWorker: 'native',
  recorder: 'native',
};

/**
 * The DSOs of the program: its executables, and code that it made itself. Beside JavaScript, tools that
 * are installed or that a package brought are not.
 */
function findOwnDsos(profile: Profile): ReadonlySet<number> {
  const isOfScripts = hasNamedScripts(profile);
  const ofV8 = findDsosOfV8(profile);
  const own = new Set<number>();
  profile.dsos.forEach((dso, index) => {
    if (dso.kind === 'jit' && !isOfScripts) own.add(index);
    if (!isExecutable(dso) || ofV8.has(index)) return;
    if (!isOfScripts || !INSTALLED.test(dso.path)) own.add(index);
  });
  return own;
}

/** Node's own binary, also where none of its scripts is named. */
function findDsosOfV8({ funcs, strings }: Profile): ReadonlySet<number> {
  const found = new Set<number>();
  for (let func = 0; func < funcs.length; func++) {
    if (strings[funcs.name[func]].includes('v8::internal::')) found.add(funcs.dso[func]);
  }
  return found;
}

const INSTALLED = /^\/(?:usr|s?bin|lib\w*|opt|snap|nix)\/|\/node_modules\//;
