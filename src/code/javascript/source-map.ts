import {
  decodedMappings,
  type EncodedSourceMap,
  encodedMappings,
  originalPositionFor,
  sourceContentFor,
  TraceMap,
  traceSegment,
} from '@jridgewell/trace-mapping';
import { memoize } from '../../base/memoize.ts';
import { functionNameAt } from './function-name-at.ts';
import { lineStartsOf, type ScriptFunctions } from './script-functions.ts';

/** A place in an original source. */
export type OriginalPlace = {
  /** The source's path from the map, resolved against the map's location, or where it was found. */
  readonly source: string;
  /** Line in the source, from 1. */
  readonly line: number;
  readonly column: number;
  /** The function's name at this position; null where the map has none. */
  readonly name: string | null;
};

/** The source maps of scripts. */
export type SourceMaps = {
  /** The map of a script; null if it has none. */
  find(script: string): SourceMap | null;
  /**
   * The map of what Deno made of a file in TypeScript or JSX before it ran it; null if it is not
   * known.
   */
  findEmitted?(script: string): SourceMap | null;
  /** False where no function begins at this place of the file of this name, as it was written. */
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
};

/** Generated characters between the beginning of a function and its parameters, beside its name. */
const LONGEST_HEAD = 'async function* '.length;

/** One source map, looked into with V8's lines and columns. */
export class SourceMap {
  readonly #map: TraceMap;
  readonly #url: string;
  readonly #files: MappedSources | null;
  readonly #located = memoize((source: string) => this.#locate(source));
  readonly #texts = memoize((source: string) => this.#textOf(source));

  private constructor(map: TraceMap, url: string, files: MappedSources | null) {
    this.#map = map;
    this.#url = url;
    this.#files = files;
  }

  /**
   * A map from the text of a `.map` file or of a data URL. `url` is the map's own path or URL, or
   * the script's for one inside it. Without `files` sources are where the map says, and names are
   * only those of the map. Null if it is not a source map.
   */
  static parse(text: string, url: string, files: MappedSources | null = null): SourceMap | null {
    try {
      // Some servers put this in front, against scripts that load JSON of others.
      const json: unknown = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, ''));
      return SourceMap.from(json, url, files);
    } catch {
      return null;
    }
  }

  /** Whether this is a parsed map, maybe with texts of sources that it lacks. */
  isSame(json: object): boolean {
    return 'mappings' in json && encodedMappings(this.#map) === json.mappings;
  }

  /** Makes one from a parsed map. Null if it is not a source map. */
  static from(json: unknown, url: string, files: MappedSources | null = null): SourceMap | null {
    try {
      return new SourceMap(new TraceMap(json as EncodedSourceMap, url), url, files);
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
      const isSame = written === generatedName.split(/[ .]/).at(-1);
      return this.#atHome({ ...place, name: isSame ? null : written });
    }
    const named = generatedName === '' ? null : this.#trace(line, at - generatedName.length);
    const isNear = named !== null && named.source === place.source && named.line === place.line;
    return this.#atHome({
      ...place,
      name: isNear && named.name !== 'constructor' ? named.name : null,
    });
  }

  /**
   * Describes by the source's text the function that begins for V8 at `line` and `column`, where neither V8 nor the
   * map has a name; null where the map does not lead to the beginning of a function.
   */
  describe(line: number, column: number): string | null {
    const found = this.#sourceAt(line, column - 1, '');
    if (found === null) return null;
    const path = this.#located(found.source);
    return this.#files?.functionsOf?.(path, found.text)?.findAt(found.offset)?.name ?? null;
  }

  /** The only source of the script; null where several have become one. */
  get onlySource(): string | null {
    const [source, ...others] = this.#map.resolvedSources;
    return source == null || others.length > 0 ? null : this.#located(source);
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
    const isOneLine = places.every((at) => at.source === place.source && at.line === place.line);
    if (!isOneLine && named.length !== 1) return null;
    return this.#atHome({ ...place, column: 0, name: null });
  }

  #writtenName(line: number, at: number, generatedName: string): string | null {
    const found = generatedName.startsWith('<') ? null : this.#sourceAt(line, at, generatedName);
    return found === null ? null : functionNameAt(found.text, found.offset);
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
    const source = this.#map.resolvedSources[row] ?? '';
    const found = this.#texts(source);
    const start = found?.starts[originalLine];
    if (found === null || start === undefined) return null;
    return { source, text: found.text, offset: start + originalColumn };
  }

  /** The text of a source, and where its lines begin. */
  #textOf(source: string): { readonly text: string; readonly starts: readonly number[] } | null {
    if (this.#files === null || source === '') return null;
    const text = sourceContentFor(this.#map, source) ?? this.#files.read(this.#located(source));
    return text === null ? null : { text, starts: lineStartsOf(text) };
  }

  #atHome(place: OriginalPlace): OriginalPlace {
    return { ...place, source: this.#located(place.source) };
  }

  #locate(source: string): string {
    if (this.#files === null) return source;
    const row = this.#map.resolvedSources.indexOf(source);
    const { sourceRoot, sources } = this.#map;
    const named = sources[row] ?? source;
    const content = this.#map.sourcesContent?.[row] ?? null;
    return this.#files.locate(`${sourceRoot ?? ''}${named}`, source, this.#url, content);
  }

  #trace(line: number, column: number): OriginalPlace | null {
    if (line < 1 || column < 0) return null;
    const found = originalPositionFor(this.#map, { line, column });
    if (found.source === null) return null;
    return {
      source: found.source,
      line: found.line,
      column: found.column + 1,
      name: found.name,
    };
  }
}
