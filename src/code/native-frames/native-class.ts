import { UNKNOWN_FUNC_NAME } from '../../profile/func-table.ts';
import { shortName } from '../../profile/short-name.ts';
import type { Profile } from '../../profile/types.ts';
import { isExecutable, isSystemLibrary, type Library, libraryKind } from './library-kind.ts';
import { type OutsideClass, outsideClass } from './outside-class.ts';
import { type StartUp, startUpOf } from './start-up.ts';

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
  | OutsideClass;

/** The class of each function, by its row. */
export function classifyNative(profile: Profile): NativeClass[] {
  const { funcs, strings, dsos } = profile;
  const ofGo = dsosOfGo(profile);
  return Array.from({ length: funcs.length }, (_, func): NativeClass => {
    const name = strings[funcs.name[func]];
    const dso = dsos[funcs.dso[func]];
    const outside = outsideClass(name, dso);
    if (outside !== null) return outside;
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

const GO_RUNTIME_LIBRARY: Library = { label: '(Go runtime)', category: 'standard library' };
const STANDARD_LIBRARY: Library = { label: '(standard library)', category: 'standard library' };

/** Names of C++ and Rust: in libraries that their compilers bring, and of Rust's primitive types. */
const STANDARD = new RegExp(
  `^(?:${[
    '(?:std|__gnu_cxx|core|alloc|hashbrown)::',
    '<(?:&(?:mut )?)?(?:dyn )?\\[?(?:std|core|alloc|hashbrown)::',
    '<(?:str|char|bool|[iu](?:8|16|32|64|128|size)|f(?:32|64)|\\[.*?\\]|\\*(?:const|mut) \\w+)(?:>::| as (?:std|core|alloc)::)',
    '<[A-Z] as (?:std|core|alloc)::',
    '__rustc?_|__rustc::|__r(?:dl|g)_|rust_(?:begin_unwind|eh_personality)$',
  ].join('|')})`,
);

const GO_RUNTIME = /^runtime\.\w/;
/**
 * Packages of Go's library by the first element of their paths. Modules of others begin with a domain, and a
 * program's own packages in one of these names would hide the library's.
 */
const GO_PACKAGE =
  /^(?:vendor\/)?(?:archive|bufio|bytes|cmp|compress|container|context|crypto|database|debug|embed|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|structs|sync|syscall|testing|text|time|unicode|unique|unsafe|weak)(?:\/[\w./-]+)?\.[\w(]/;
/** Assembly and functions that Go's compiler makes: in no package. */
const GO_WITHOUT_PACKAGE =
  /^(?:(?:aeshash|memhash|memeq|cmp|count|index|indexbyte)body\w*|memeqbody|aeshash\d*\w*|gogo|gosave_\w+|callRet|debugCall\w+|go:.+|type:.+|_rt0_\w+|_?x?_?cgo_\w+)(?:\.abi0)?$/;

/**
 * Returns the library that a compiler put the function from into the program's file; null for the author's code.
 * Names decide: lines, which lead to a library's sources, are not read by every command.
 */
function linkedLibrary(name: string, isOfGo: boolean): Library | null {
  if (GO_RUNTIME.test(name)) return GO_RUNTIME_LIBRARY;
  if (isOfGo && (GO_PACKAGE.test(name) || GO_WITHOUT_PACKAGE.test(name))) return STANDARD_LIBRARY;
  return STANDARD.test(shortName(name)) ? STANDARD_LIBRARY : null;
}

/** The DSOs with functions of Go's runtime: static functions of C, `sort.part.0`, are called like Go's elsewhere. */
function dsosOfGo({ funcs, strings, dsos }: Profile): ReadonlySet<number> {
  const found = new Set<number>();
  for (let func = 0; func < funcs.length; func++) {
    if (!GO_RUNTIME.test(strings[funcs.name[func]])) continue;
    if (dsos[funcs.dso[func]]?.kind === 'user') found.add(funcs.dso[func]);
  }
  return found;
}
