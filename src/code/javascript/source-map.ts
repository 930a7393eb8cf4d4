import {
  decodedMappings,
  encodedMappings,
  FlattenMap,
  type SectionedSourceMapInput,
  type TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping';
import { fieldOf } from '../../base/foreign-json.ts';
import { memoize } from '../../base/memoize.ts';
import { decodePercent } from '../../base/text.ts';
import { isComponent } from './component-scripts.ts';
import { functionNameAt } from './function-name-at.ts';
import { withoutGuard } from './mapping-url.ts';
import { lineStartsOf, type ScriptFunctions, type SourceFunction } from './script-functions.ts';
import { pathInBundle, pathOfScript } from './script-path.ts';

/** A place in an original source. */
export type OriginalPlace = {
  /** The source's path from the map, resolved against the map's location, or where it was found. */
  readonly source: string;
  /** Line in the source, from 1. */
  readonly line: number;
  readonly column: number;
  /** The function's name at this position; null where the map has none. */
  readonly name: string | null;
  /** The source's text has the generated name for the function, too. */
  readonly isSameName?: boolean;
};

/** The source maps of scripts. */
export type SourceMaps = {
  /** The map of a script as this process ran it, or any where the process is null; null if it has none. */
  find(script: string, pid?: number | null): SourceMap | null;
  /**
   * The map of what Deno made of a file in TypeScript or JSX before it ran it; null if it is not
   * known.
   */
  findEmitted?(script: string): SourceMap | null;
  /** False where no function begins at this place of the file of this name, as it was written; column 0: not known. */
  mayBegin?(script: string, line: number, column: number): boolean;
  /** The functions of a script's text as its file has it; null where it is not known or not to be parsed. */
  functionsOf?(script: string): ScriptFunctions | null;
};

/** The files that maps name as sources. */
export type MappedSources = {
  /**
   * The path of a source: `named` as the map has it, `resolved` against the map at `url`; `content` is
   * its text, where the map has it.
   */
  locate(named: string, resolved: string, url: string, content: string | null): string;
  /** The text of a located source; null where it can't or must not be read. */
  read(path: string): string | null;
  /** The functions of a located source of this text; null where it is not to be parsed. */
  functionsOf?(path: string, text: string): ScriptFunctions | null;
  /** The map of a located source that was made of others itself; null: it was not, or has another text by now. */
  mapOf?(path: string, content: string | null): SourceMap | null;
};

/** Generated characters between the beginning of a function and its parameters, beside its name. */
const LONGEST_HEAD = 'async function* '.length;
const PRIVATE = /^_(?:[A-Za-z$]\w*_)?([A-Za-z$]\w*?)\d*$/;
/** Text in front of a function in which what it is assigned to stands. */
const LONGEST_TARGET = 100;
/** Lines and segments of a map that are taken in; the largest bundles have a tenth. A segment takes some 80 bytes. */
const MOST_PLACES = 8 << 20;
/** Maps within maps, which no bundler makes. */
const MOST_DEPTH = 8;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;

/** One source map, whole or in sections, looked into with V8's lines and columns. */
export class SourceMap {
  readonly #map: TraceMap;
  readonly #url: string;
  readonly #files: MappedSources | null;
  /** The places of its sources; empty for those that it does not name. */
  readonly #sources: readonly string[];
  readonly #located = memoize((row: number) => this.#locate(row));
  readonly #texts = memoize((row: number) => this.#textOf(row));

  private constructor(map: TraceMap, url: string, files: MappedSources | null) {
    this.#map = map;
    this.#url = url;
    this.#files = files;
    this.#sources = map.resolvedSources.map((source, row) =>
      map.sources[row] === null || source.endsWith('/')
        ? ''
        : placeOfSource(isPathIn(url, map.sources[row]) ? map.sources[row] : source),
    );
  }

  /**
   * A map from the text of a `.map` file or of a data URL. `url` is the map's own path or URL, or
   * the script's for one inside it. Without `files` sources are where the map says, and names are
   * only those of the map. Null if it is not a source map.
   */
  static parse(text: string, url: string, files: MappedSources | null = null): SourceMap | null {
    try {
      const json: unknown = JSON.parse(withoutGuard(text));
      return SourceMap.from(json, url, files);
    } catch {
      return null;
    }
  }

  /** Whether the other one has the same places, maybe without texts of sources. */
  isSame(other: SourceMap): boolean {
    return encodedMappings(this.#map) === encodedMappings(other.#map);
  }

  /** Makes one from a parsed map. Null if it is not a source map. */
  static from(json: unknown, url: string, files: MappedSources | null = null): SourceMap | null {
    try {
      if (!isBounded(json)) return null;
      const map = new FlattenMap(json as SectionedSourceMapInput, urlOfPath(url));
      return new SourceMap(map, url, files);
    } catch {
      return null;
    }
  }

  /**
   * The source position of the function that begins for V8 at `line` and `column` (from 1). V8
   * means the parenthesis before the parameters, maps have the name's place: `name` of a function
   * called `generatedName` is looked for there. A class's constructor keeps V8's name for it, that of the
   * class: the token before the parenthesis is `constructor`. The name in the source's text comes first,
   * since bundlers make up names (`cart_default`); but V8's stays if it ends in it (`get size`).
   */
  find(line: number, column: number, generatedName: string): OriginalPlace | null {
    const at = column - 1;
    const place = this.#trace(line, at);
    if (place === null) return null;
    const written = this.#writtenName(line, at, generatedName);
    if (written !== null) {
      const { name, before } = written;
      const isLast = name === generatedName.split(/[ .]/).at(-1);
      // `cart.add`, where the source has that in front of the function: a bundler may call the object otherwise.
      const isSame = name === generatedName || (isLast && isWhole(generatedName, before));
      const home = this.#atHome({ ...place, name: isLast || isSame ? null : name });
      return { ...home, isSameName: isSame };
    }
    const named = generatedName === '' ? null : this.#trace(line, at - generatedName.length);
    const isNear = named !== null && named.row === place.row && named.line === place.line;
    return this.#atHome({
      ...place,
      name: isNear && named.name !== 'constructor' ? named.name : null,
    });
  }

  /**
   * The function of the source's text that begins for V8 at `line` and `column`; null where the map does not lead to
   * the head of a function. `isWorthIt` gets the text before it is parsed.
   */
  describe(
    line: number,
    column: number,
    isWorthIt: (text: string) => boolean = () => true,
  ): SourceFunction | null {
    const place = this.#trace(line, column - 1);
    const text = place === null ? null : this.#texts(place.row)?.text;
    if (place === null || text == null || !isWorthIt(text)) return null;
    const functions = this.#files?.functionsOf?.(this.#located(place.row), text) ?? null;
    if (functions === null) return null;
    const found = this.#sourceAt(line, column - 1, '');
    const exact = found === null ? null : functions.findAt(found.offset);
    if (exact !== null) return exact;
    // A compiler may write much in front of it, as Vue its marks.
    const next = this.#nextInSource(line, column - 1, place.row);
    const between = next === null ? null : functions.findBetween(this.#offsetOf(place), next);
    if (between !== null) return between;
    // Cheap maps of webpack have lines only.
    const segments = decodedMappings(this.#map)[line - 1] ?? [];
    return segments.length === 1 && segments[0][0] === 0 ? functions.findOnLine(place.line) : null;
  }

  /** Whether the function that begins for V8 at `line` and `column` was made of a component's markup, or of all of it. */
  isOfMarkup(line: number, column: number): boolean {
    const place = this.#trace(line, column - 1);
    const path = place === null ? '' : this.#located(place.row);
    if (place === null || !isComponent(path)) return false;
    const text = this.#texts(place.row)?.text;
    const functions = text === undefined ? null : this.#files?.functionsOf?.(path, text);
    return functions?.isInStatement(this.#offsetOf(place)) === false;
  }

  /**
   * The private method `#hidden` that a compiler has made a function `_Shop_hidden` or `_hidden` of, where the source at
   * `line` and `column` has one such method. Maps lead to the class.
   */
  describePrivate(line: number, column: number, generatedName: string): SourceFunction | null {
    const [, name] = PRIVATE.exec(generatedName) ?? [];
    const place = name === undefined ? null : this.#trace(line, column - 1);
    const found = place === null ? null : this.#texts(place.row);
    if (place === null || found === null) return null;
    const functions = this.#files?.functionsOf?.(this.#located(place.row), found.text);
    return functions?.findNamed(`#${name}`) ?? null;
  }

  /** The only source of the script; null where several have become one. */
  get onlySource(): string | null {
    const isOne = this.#sources.length === 1 && this.#sources[0] !== '';
    return isOne ? this.#located(0) : null;
  }

  /** The source position of a place in code; null where the map has none. */
  findPlace(line: number, column: number): OriginalPlace | null {
    const place = this.#trace(line, column - 1);
    return place === null ? null : this.#atHome(place);
  }

  /**
   * The source position of the function that begins somewhere on `line`, as Node 18 has it; the
   * column is 0. Null unless all of the line comes from one line of a source, or the map has this
   * name there once.
   */
  findOnLine(line: number, generatedName: string): OriginalPlace | null {
    const segments = (decodedMappings(this.#map)[line - 1] ?? []).map(([column]) => column);
    const places = segments.flatMap((column) => this.#trace(line, column) ?? []);
    const named = places.filter(({ name }) => name !== null && name === generatedName);
    const [place] = named.length === 1 ? named : places;
    if (place === undefined) return null;
    const isOneLine = places.every((at) => at.row === place.row && at.line === place.line);
    if (!isOneLine && named.length !== 1) return null;
    return this.#atHome({ ...place, column: 0, name: null });
  }

  /** The name by the source's text, and the text in front of the function. */
  #writtenName(line: number, at: number, generatedName: string) {
    const found = generatedName.startsWith('<') ? null : this.#sourceAt(line, at, generatedName);
    const name = found === null ? null : functionNameAt(found.text, found.offset);
    if (found === null || name === null) return null;
    const before = found.text.slice(Math.max(0, found.offset - LONGEST_TARGET), found.offset);
    return { name, before };
  }

  /**
   * The source's text, and the offset in it at which the function begins. Only where the map has the function's
   * first token, or its first parameter: what stands before them may be of other functions.
   */
  #sourceAt(line: number, at: number, generatedName: string) {
    if (line < 1 || at < 0) return null;
    const [from, row = -1, originalLine = 0, originalColumn = 0] =
      traceSegment(this.#map, line - 1, at) ?? [];
    if (from === undefined || at - from > LONGEST_HEAD + generatedName.length) return null;
    const found = this.#texts(row);
    const start = found?.starts[originalLine];
    if (found === null || start === undefined) return null;
    return { row, text: found.text, offset: start + originalColumn };
  }

  /**
   * The offset in a source to which the map leads behind a place on its line, where that is near: some compilers (Oxc) map
   * the first parameter and not the parenthesis in front of it.
   */
  #nextInSource(line: number, at: number, row: number): number | null {
    const segments = decodedMappings(this.#map)[line - 1] ?? [];
    const [from, source, originalLine = 0, originalColumn = 0] =
      segments.find(([column]) => column > at) ?? [];
    if (from === undefined || from - at > LONGEST_HEAD || source !== row) return null;
    const start = this.#texts(row)?.starts[originalLine];
    return start === undefined ? null : start + originalColumn;
  }

  /** The offset of a place in the text of its source; NaN where that is shorter. */
  #offsetOf({ row, line, column }: Traced): number {
    return (this.#texts(row)?.starts[line - 1] ?? Number.NaN) + column - 1;
  }

  /** The text of a source, and where its lines begin. */
  #textOf(row: number): { readonly text: string; readonly starts: readonly number[] } | null {
    if (this.#files === null || !this.#sources[row]) return null;
    const text = this.#map.sourcesContent?.[row] ?? this.#files.read(this.#located(row));
    return text === null ? null : { text, starts: lineStartsOf(text) };
  }

  /** The place that its author wrote, through the maps of sources that were made of others. */
  #atHome(traced: Traced): OriginalPlace {
    const seen = new Set<SourceMap>();
    let at = traced;
    let map: SourceMap = this;
    while (!seen.has(map)) {
      seen.add(map);
      const next: SourceMap | null = map.#mapOf(at.row);
      const further = next === null ? null : next.#trace(at.line, at.column - 1);
      if (next === null || further === null) break;
      at = { ...further, name: at.name ?? further.name };
      map = next;
    }
    return { source: map.#located(at.row), line: at.line, column: at.column, name: at.name };
  }

  #mapOf(row: number): SourceMap | null {
    const content = this.#map.sourcesContent?.[row] ?? null;
    return this.#files?.mapOf?.(this.#located(row), content) ?? null;
  }

  #locate(row: number): string {
    const source = this.#sources[row] ?? '';
    if (this.#files === null) return source;
    const { sourceRoot = '', sources, sourcesContent } = this.#map;
    const named = `${sourceRoot}${sources[row] ?? source}`;
    return this.#files.locate(named, source, this.#url, sourcesContent?.[row] ?? null);
  }

  #trace(line: number, column: number): Traced | null {
    if (line < 1 || column < 0) return null;
    const [, row, originalLine = 0, originalColumn = 0, name] =
      traceSegment(this.#map, line - 1, column) ?? [];
    if (row === undefined || !this.#sources[row]) return null;
    return {
      row,
      line: originalLine + 1,
      column: originalColumn + 1,
      name: name === undefined ? null : (this.#map.names[name] ?? null),
    };
  }
}

/** Whether V8's name stands in the text as it is, as far as it is more than one word. */
const isWhole = (generatedName: string, before: string): boolean =>
  !generatedName.includes('.') || before.includes(generatedName);

/** A place in a source of the map, by its row. */
type Traced = Omit<OriginalPlace, 'source'> & { readonly row: number };

/** A path as maps have places: URLs, in which some characters end it. */
function urlOfPath(path: string): string {
  return path.replace(/[%#?]/g, (character) => encodeURIComponent(character));
}

/** Whether a source of a map at `url` is a path of this machine: `/srv/app/page.tsx` in `webpack-internal:///(rsc)/./app/page.tsx`. */
const isPathIn = (url: string, source: string | null | undefined): source is string =>
  source?.startsWith('/') === true && pathInBundle(url) !== null;

/** The path of a source, or its URL where it is no file. */
function placeOfSource(source: string): string {
  return source.startsWith('/') ? decodePercent(source) : pathOfScript(source);
}

/**
 * Whether a map, with those of its sections, has as many places as are taken in. An offset of a section makes lines
 * whatever the map's size.
 */
function isBounded(map: unknown, depth = 0): boolean {
  const sections = fieldOf(map, 'sections');
  if (!Array.isArray(sections)) return countPlaces(fieldOf(map, 'mappings')) <= MOST_PLACES;
  return (
    depth < MOST_DEPTH &&
    sections.every((section: unknown) => {
      const line = fieldOf(fieldOf(section, 'offset'), 'line');
      const isOffset = typeof line === 'number' && line >= 0 && line <= MOST_PLACES;
      return isOffset && isBounded(fieldOf(section, 'map'), depth + 1);
    })
  );
}

function countPlaces(mappings: unknown): number {
  if (typeof mappings !== 'string') return 0;
  let places = 1;
  for (let at = 0; at < mappings.length; at++) {
    const code = mappings.charCodeAt(at);
    if (code === COMMA || code === SEMICOLON) places++;
  }
  return places;
}
