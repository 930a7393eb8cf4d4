import { shortName } from '../../profile/short-name.ts';
import type { Profile } from '../../profile/types.ts';
import type { Library } from './library-kind.ts';

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
export function linkedLibrary(name: string, isOfGo: boolean): Library | null {
  if (GO_RUNTIME.test(name)) return GO_RUNTIME_LIBRARY;
  if (isOfGo && (GO_PACKAGE.test(name) || GO_WITHOUT_PACKAGE.test(name))) return STANDARD_LIBRARY;
  return STANDARD.test(shortName(name)) ? STANDARD_LIBRARY : null;
}

/** The DSOs with functions of Go's runtime: static functions of C, `sort.part.0`, are called like Go's elsewhere. */
export function dsosOfGo({ funcs, strings, dsos }: Profile): ReadonlySet<number> {
  const found = new Set<number>();
  for (let func = 0; func < funcs.length; func++) {
    if (!GO_RUNTIME.test(strings[funcs.name[func]])) continue;
    if (dsos[funcs.dso[func]]?.kind === 'user') found.add(funcs.dso[func]);
  }
  return found;
}
