import { NONE } from '../../base/brand.ts';
import { memoize } from '../../base/memoize.ts';
import { PairInterner } from '../../base/pair-interner.ts';
import { categoryRow } from '../../profile/func-table.ts';
import { pidOfJit } from '../../profile/jit-dso.ts';
import {
  type Dso,
  type FrameTable,
  type FuncTable,
  type Profile,
  TIERS,
} from '../../profile/types.ts';
import { isComponent } from './component-scripts.ts';
import { parseJscName, type ScriptName } from './jsc-name.ts';
import { ownerOfScript, withOwners } from './owners.ts';
import { hasRoutes, isRouteKey } from './route-text.ts';
import { isKeyOfPackage, pathOfScript, shortPath } from './script-path.ts';
import { INTERPRETER_NAME, isPlumbing, type Simplify } from './simplify.ts';
import type { OriginalPlace, SourceMap, SourceMaps } from './source-map.ts';
import { hasNoName, isWholeScript, SourceNames } from './source-names.ts';
import { nameBeforeMaker, parseV8Name } from './v8-name.ts';

export type NameScriptsOptions = {
  /** Null: names and lines are those of the code that V8 ran. */
  readonly sourceMaps: SourceMaps | null;
  /** Paths below it are shown without it; null where it is not known. */
  readonly directory: string | null;
  /** Whether a DSO (`Profile.dsos`) is JIT code of Deno, which runs other code than the files have. */
  readonly isOfDeno?: (dso: number) => boolean;
  /** Anything but `none`: the interpreter's builtins are one function, `[interpreter]`. */
  readonly simplify: Simplify;
};

type NamingOptions = NameScriptsOptions & Pick<Profile, 'dsos'>;

/** The name of a function that has none. */
const ANONYMOUS = '(anonymous)';

/** The name of a function that a compiler made of a component's markup, or of all of a component. */
const OF_MARKUP = '(component)';

/** A function of JavaScript where its author wrote it. */
type Written = {
  readonly name: string;
  /** Path or URL; empty where V8 has none. */
  readonly path: string;
  /** 0 where it is not known; without a path in what was evaluated. */
  readonly line: number;
  readonly column: number;
  /** `ScriptName.hash`. */
  readonly hash: string;
  /** V8's name, where `name` is what the source's text calls a function that V8 has no name for. */
  readonly v8Name?: string;
  /** `OriginalPlace.isSameName`. */
  readonly isSameName?: boolean;
  /** A named function that the script's map leads nowhere from, of the compiler or the bundler, or a package's module. */
  readonly isHelper?: boolean;
};

/**
 * Functions of JavaScript by their own names, places and authors. V8 gives a function a name for
 * each way that it ran it and calls it by the script that it was handed:
 *
 *     JS:~handle file:///srv/dist/server.js:8:23
 *     JS:*handle file:///srv/dist/server.js:8:23   ──▶   handle src/server.ts:12
 *
 * Here both are one function, found in its original source; the way is the frame's tier. All other
 * functions stay, and all get their owners. Stacks and samples are left as they are.
 */
export function nameScripts(profile: Profile, asked: NameScriptsOptions): Profile {
  const { funcs, frames, dsos, strings } = profile;
  const options = { ...asked, dsos };
  const parsed = Array.from({ length: funcs.length }, (_, func) =>
    mayBeScript(dsos[funcs.dso[func]]) ? parseScriptName(strings[funcs.name[func]]) : null,
  );
  const texts = new Texts(strings);
  const altered = alteredScripts(parsed, funcs.dso, options);
  const sources = new SourceNames(parsed, options.sourceMaps);
  const written = parsed.map((name, func) =>
    name === null ? null : whereWritten(name, funcs.dso[func], altered, options),
  );
  // Only so much is parsed: the program's functions come first, of these and of the others those of most samples.
  const mayRoute = memoize(hasRoutes);
  const isDoubtful = (name: ScriptName, func: number): boolean => {
    const map = mapOf(name.file, funcs.dso[func], options);
    return isDoubtfulName(name, written[func]!, map, mayRoute);
  };
  const isOwn = (func: number): boolean =>
    ownerOfScript(parsed[func]!.file, written[func]!.path) === 'user code';
  const rows = sources.toDescribe(profile, isDoubtful);
  for (const func of [...rows.filter(isOwn), ...rows.filter((row) => !isOwn(row))]) {
    const find = (name: ScriptName) => whereWritten(name, funcs.dso[func], altered, options);
    const map = mapOf(parsed[func]!.file, funcs.dso[func], options);
    written[func] = describedFunction(parsed[func]!, sources, map, find);
  }
  const labels = labelsOf(written, options.directory);
  labelRegExps(profile, labels);
  if (options.simplify !== 'none') labelInterpreter(profile, labels);
  const named = rebuildFuncs(profile, texts, parsed, written, labels);
  return withOwners({
    ...profile,
    strings: texts.strings,
    funcs: named.funcs,
    frames: {
      ...originalLines(frames, texts, options, parsed),
      func: frames.func.map((func) => named.newFunc[func]),
      tier: Uint8Array.from(frames.func, (func) => TIERS.indexOf(parsed[func]?.tier ?? 'none')),
    },
  });
}

/**
 * Ahead-of-time code has no tiers, whatever its name; `perf inject` makes a file of each function.
 */
function mayBeScript(dso: Dso | undefined): boolean {
  return dso?.kind !== 'user' || /^jitted-\d+-\d+\.so$/.test(dso.name);
}

/**
 * Scripts that V8 was not handed as they are on disk, and whose maps are not known: a loader made
 * other code of them. One function where none can begin shows it, and then no line of the script's
 * means anything, though others may fall on possible places.
 */
function alteredScripts(
  parsed: readonly (ScriptName | null)[],
  dsos: Int32Array,
  options: NamingOptions,
): ReadonlySet<string> {
  const altered = new Set<string>();
  for (let func = 0; func < parsed.length; func++) {
    const name = parsed[func];
    if (name === null || name.file === '' || altered.has(name.file)) continue;
    if (nameBeforeMaker(name.name) !== null) continue;
    const { file, line, column } = name;
    if (originalOf(name, dsos[func], options) !== null) continue;
    if (options.sourceMaps?.mayBegin?.(file, line, column) === false) altered.add(file);
  }
  return altered;
}

function originalOf(
  { file, line, column, name }: ScriptName,
  dso: number,
  options: NamingOptions,
): OriginalPlace | null {
  const map = mapOf(file, dso, options);
  if (map === null) return null;
  return column === 0 ? map.findOnLine(line, name) : map.find(line, column, name);
}

function whereWritten(
  parsed: ScriptName,
  dso: number,
  altered: ReadonlySet<string>,
  options: NamingOptions,
): Written {
  const { name, file, line, column, hash } = parsed;
  if (isWholeScript(parsed)) return wholeScript(parsed, mapOf(file, dso, options));
  if (file === '') return { name, path: '', line, column, hash };
  const v8Name = nameBeforeMaker(name);
  if (v8Name !== null) {
    const called = mapOf(file, dso, options)?.findPlace(line, column) ?? {
      source: file,
      line,
      column,
    };
    const place = { line: called.line, column: called.column };
    return { name, path: pathOfScript(called.source), ...place, hash, v8Name: v8Name || ANONYMOUS };
  }
  const original = originalOf(parsed, dso, options);
  if (original === null) {
    // A loader made other code of this file, and left no map: its lines mean nothing.
    const map = mapOf(file, dso, options);
    // So do those of what a compiler added to a module that it made in memory, at the path of its source.
    const path = pathOfScript(file);
    const isMadeOfItself = map !== null && map.onlySource === path;
    const isAsWritten = !isEmitted(file, dso, options) && !altered.has(file) && !isMadeOfItself;
    // A function without a name was put around the module, or is the component's.
    if (isMadeOfItself && name === '') {
      const made = isComponent(path) ? OF_MARKUP : '(module)';
      return { name: made, path, line: 1, column: 1, hash, v8Name: ANONYMOUS };
    }
    // The function that Node puts around a module begins where the file does.
    const isAtStart = line === 1 && column === 1;
    const place = isAtStart || isAsWritten ? { line, column } : { line: 0, column: 0 };
    // Keys of modules have slashes, names of helpers none.
    const isHelper = name.includes('/')
      ? isKeyOfPackage(name)
      : !hasNoName(parsed) && map !== null && !(isMadeOfItself && isComponent(path));
    return { name, path, ...place, hash, isHelper };
  }
  return {
    name: original.name ?? name,
    path: pathOfScript(original.source),
    line: original.line,
    column: original.column,
    hash,
    isSameName: original.isSameName === true,
  };
}

/**
 * The body of a module, or of a bundle: that of one source goes by its name, that of several by the file that ran, as
 * whatever stands first in it is only one of them.
 */
function wholeScript({ file, line, column, hash }: ScriptName, map: SourceMap | null): Written {
  const path = pathOfScript(map?.onlySource ?? file);
  const place = map === null ? { line, column } : { line: 1, column: 1 };
  return { name: '(module)', path, ...place, hash };
}

/**
 * Whether the source may call a function of the program otherwise than V8 does: bundlers make names short or up, and
 * routes have their functions in objects and below decorators.
 */
function isDoubtfulName(
  parsed: ScriptName,
  { path, isSameName }: Written,
  map: SourceMap | null,
  mayRoute: (text: string) => boolean,
): boolean {
  if (parsed.column === 0 || parsed.name.startsWith('<')) return false;
  if (nameBeforeMaker(parsed.name) !== null) return false;
  if (ownerOfScript(parsed.file, path) !== 'user code') return false;
  if (map === null) return isRouteKey(parsed.name);
  return (
    isSameName !== true ||
    isRouteKey(parsed.name) ||
    map.describe(parsed.line, parsed.column, mayRoute) !== null
  );
}

/** A function by its source (`nameBySource`), with V8's name where the source has a description in place of a name. */
function describedFunction(
  parsed: ScriptName,
  sources: SourceNames,
  map: SourceMap | null,
  find: (name: ScriptName) => Written,
): Written {
  const { isDescription, ...found } = nameBySource(parsed, sources, map, find);
  if (!hasNoName(parsed) && !isDescription) return found;
  if (found.name === '') return found;
  const isHelper = found.isHelper || isKeyOfPackage(found.name);
  return { ...found, isHelper, v8Name: parsed.name || ANONYMOUS };
}

/**
 * A function by what its source calls it: the original one where a map leads there, else the script. The lowered body
 * of an async function is that function, at its place.
 */
function nameBySource(
  parsed: ScriptName,
  sources: SourceNames,
  map: SourceMap | null,
  find: (name: ScriptName) => Written,
): Written & { readonly isDescription: boolean } {
  if (sources.isModule(parsed)) return { ...wholeScript(parsed, map), isDescription: true };
  const place = find(parsed);
  const found = sources.find(parsed);
  if (found?.origin != null) {
    const origin = { ...parsed, ...found.origin, name: '' };
    const outer = sources.find(origin);
    const named = { ...origin, name: outer?.isNamed === true ? (outer.name ?? '') : '' };
    const written = nameBySource(named, sources, map, find);
    return written.name === '' ? { ...written, name: found.name ?? place.name } : written;
  }
  const method = map?.describePrivate(parsed.line, parsed.column, parsed.name) ?? null;
  if (method?.name != null) {
    return { ...place, ...method.place, name: method.name, isDescription: false };
  }
  const described = map?.describe(parsed.line, parsed.column) ?? null;
  if (described?.name != null) {
    return { ...place, name: described.name, isDescription: !described.isNamed };
  }
  if (hasNoName(parsed) && map?.isOfMarkup(parsed.line, parsed.column) === true) {
    return { ...place, name: OF_MARKUP, isDescription: true };
  }
  if (place.name !== '' && place.name !== parsed.name) return { ...place, isDescription: false };
  const isDescription =
    found?.name != null && !found.isNamed && (map === null || hasNoName(parsed));
  return hasNoName(parsed) || isDescription
    ? { ...place, name: found?.name ?? place.name, isDescription }
    : { ...place, isDescription };
}

/** Whether Deno runs what it has made of this file. Lines as V8 ran them are asked for without maps. */
function isEmitted(file: string, dso: number, { isOfDeno, sourceMaps }: NameScriptsOptions) {
  return sourceMaps !== null && isOfDeno?.(dso) === true && /\.(?:[cm]?ts|[jt]sx)$/.test(file);
}

function mapOf(file: string, dso: number, options: NamingOptions): SourceMap | null {
  const { sourceMaps } = options;
  if (isEmitted(file, dso, options)) return sourceMaps?.findEmitted?.(file) ?? null;
  return sourceMaps?.find(file, pidOfJit(options.dsos[dso])) ?? null;
}

/**
 * `handle src/server.ts:12`; with the whole path, the column, or the hash of a function without a place, where this
 * alone does not tell functions apart, in whatever process: copies of a package, anonymous functions, minified code.
 */
function labelsOf(
  written: readonly (Written | null)[],
  directory: string | null,
): (string | null)[] {
  const short = written.map((place) => (place === null ? null : shortLabel(place, directory)));
  const detailsOf = (detail: (place: Written) => string | number): ReadonlySet<string> => {
    const first = new Map<string, string | number>();
    const several = new Set<string>();
    for (const [func, label] of short.entries()) {
      if (label === null) continue;
      const value = detail(written[func]!);
      if ((first.get(label) ?? value) !== value) several.add(label);
      first.set(label, value);
    }
    return several;
  };
  const ofSeveralPaths = detailsOf(({ path }) => path);
  const ofSeveralPlaces = detailsOf((place) => (place.path === '' ? mark(place) : place.column));
  return short.map((label, func) => {
    if (label === null) return null;
    const place = written[func]!;
    const long = ofSeveralPaths.has(label) ? longLabel(place, place.path) : label;
    if (!ofSeveralPlaces.has(label)) return long;
    if (place.path !== '') return `${long}:${place.column}`;
    const ending = mark(place);
    return ending === '' ? long : `${long} ${ending}`;
  });
}

/** The mark that tells functions without a file apart: a hash of their code, or their place in what was evaluated. */
function mark({ hash, line, column }: Written): string {
  if (hash !== '') return `#${hash}`;
  return line === 0 ? '' : `:${line}:${column}`;
}

function shortLabel(place: Written, directory: string | null): string {
  return longLabel(place, shortPath(place.path, directory));
}

function longLabel({ name, path, line }: Written, shown: string): string {
  const shownName = name === '' ? ANONYMOUS : name;
  if (path === '') return shownName;
  return line === 0 ? `${shownName} ${shown}` : `${shownName} ${shown}:${line}`;
}

/** V8 since 13 has code of a regular expression for each width of letters, and names both by it. */
const REGEXP = /^RegExp\.[<>] src: '(.*)' flags: '(\w*)'$/s;

/** Regular expressions as V8 before 13 names them, with their flags behind. */
function labelRegExps({ funcs, strings }: Profile, labels: (string | null)[]): void {
  for (let func = 0; func < funcs.length; func++) {
    const [, source, flags] = REGEXP.exec(strings[funcs.name[func]]) ?? [];
    if (source !== undefined) labels[func] = `RegExp:/${source}/${flags}`;
  }
}

function labelInterpreter({ funcs, strings }: Profile, labels: (string | null)[]): void {
  for (let func = 0; func < funcs.length; func++) {
    const name = strings[funcs.name[func]];
    if (isPlumbing(name, 'interpreter')) labels[func] = INTERPRETER_NAME;
  }
}

/** Functions with equal labels and DSOs become one. */
function rebuildFuncs(
  { funcs }: Profile,
  texts: Texts,
  parsed: readonly (ScriptName | null)[],
  written: readonly (Written | null)[],
  labels: readonly (string | null)[],
): { readonly funcs: FuncTable; readonly newFunc: Int32Array } {
  const rows = new PairInterner();
  const newFunc = new Int32Array(funcs.length);
  const category: number[] = [];
  const isScript: number[] = [];
  const file: number[] = [];
  const line: number[] = [];
  const column: number[] = [];
  const v8Name: number[] = [];
  for (let func = 0; func < funcs.length; func++) {
    const label = labels[func] ?? null;
    const oldName = funcs.name[func];
    const name = label === null ? oldName : texts.intern(label);
    const row = rows.intern(name, funcs.dso[func]);
    newFunc[func] = row;
    const place = written[func] ?? null;
    const ofV8 = place?.v8Name === undefined ? NONE : texts.intern(place.v8Name);
    if (row < category.length) {
      // A lowered body has the row of its function, which V8 may know by its name.
      if (v8Name[row] !== ofV8) v8Name[row] = NONE;
      continue;
    }
    v8Name.push(ofV8);
    if (place === null) {
      category.push(funcs.category[func]);
      isScript.push(0);
      file.push(funcs.file[func]);
      line.push(funcs.line[func]);
      column.push(funcs.column[func]);
    } else {
      const owner = ownerOfScript(parsed[func]?.file ?? '', place.path, place.isHelper);
      category.push(categoryRow(owner));
      isScript.push(parsed[func]?.kind === 'wasm' ? 0 : 1);
      file.push(place.path === '' ? NONE : texts.intern(place.path));
      line.push(place.path === '' ? 0 : place.line);
      column.push(place.path === '' ? 0 : place.column);
    }
  }
  return {
    newFunc,
    funcs: {
      length: rows.length,
      name: rows.first.finish(),
      dso: rows.second.finish(),
      category: Uint8Array.from(category),
      isScript: Uint8Array.from(isScript),
      file: Int32Array.from(file),
      line: Int32Array.from(line),
      column: Int32Array.from(column),
      v8Name: Int32Array.from(v8Name),
    },
  };
}

/** The lines that a jitdump gave frames of scripts, in the original source. */
function originalLines(
  frames: FrameTable,
  texts: Texts,
  options: NamingOptions,
  parsed: readonly (ScriptName | null)[],
): FrameTable {
  const file = frames.file.slice();
  const line = frames.line.slice();
  const column = frames.column.slice();
  for (let frame = 0; frame < frames.length; frame++) {
    const fileText = file[frame];
    if (fileText === NONE || parsed[frames.func[frame]] === null) continue;
    const script = texts.strings[fileText];
    const map = mapOf(script, frames.dso[frame], options);
    const found = map?.findPlace(line[frame], Math.max(1, column[frame]));
    file[frame] = texts.intern(pathOfScript(found?.source ?? script));
    if (!found && isEmitted(script, frames.dso[frame], options)) {
      file[frame] = NONE;
      line[frame] = 0;
      column[frame] = 0;
    }
    if (!found) continue;
    line[frame] = found.line;
    column[frame] = found.column;
  }
  return { ...frames, file, line, column };
}

/** A profile's strings, and those that are added. */
class Texts {
  readonly strings: string[];
  readonly #rows = new Map<string, number>();

  constructor(strings: readonly string[]) {
    this.strings = [...strings];
    for (let row = 0; row < strings.length; row++) this.#rows.set(strings[row], row);
  }

  intern(text: string): number {
    let row = this.#rows.get(text);
    if (row === undefined) {
      row = this.strings.length;
      this.strings.push(text);
      this.#rows.set(text, row);
    }
    return row;
  }
}

/** The parsed name of a code object, whatever engine it is of; null for all that is no JavaScript. */
export function parseScriptName(text: string): ScriptName | null {
  const v8 = parseV8Name(text);
  return v8 === null ? parseJscName(text) : { ...v8, hash: '' };
}
