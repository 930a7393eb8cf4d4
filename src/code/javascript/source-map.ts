import {
  decodedMappings,
  type EncodedSourceMap,
  originalPositionFor,
  TraceMap,
} from '@jridgewell/trace-mapping';

/** A place in an original source. */
export type OriginalPlace = {
  /** The source's path from the map, resolved against the map's location. */
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
};

/** One source map, looked into with V8's lines and columns. */
export class SourceMap {
  readonly #map: TraceMap;

  private constructor(map: TraceMap) {
    this.#map = map;
  }

  /**
   * From the text of a `.map` file or what a data URL holds. `url` is the map's own path or URL, or
   * the script's for one inside it. Null if it is not a source map.
   */
  static parse(text: string, url: string): SourceMap | null {
    try {
      // Some servers put this in front, against scripts that load JSON of others.
      const json: unknown = JSON.parse(text.replace(/^\)\]\}'[^\n]*\n/, ''));
      return SourceMap.from(json, url);
    } catch {
      return null;
    }
  }

  /** Makes one from a parsed map. Null if it is not a source map. */
  static from(json: unknown, url: string): SourceMap | null {
    try {
      return new SourceMap(new TraceMap(json as EncodedSourceMap, url));
    } catch {
      return null;
    }
  }

  /**
   * The source position of the function that begins for V8 at `line` and `column` (from 1). V8
   * means the parenthesis before the parameters, maps have the name's place: `name` of a function
   * called `generatedName` is looked for there. A class's constructor keeps V8's name for it, that of the
   * class: the token before the parenthesis is `constructor`.
   */
  find(line: number, column: number, generatedName: string): OriginalPlace | null {
    const at = column - 1;
    const place = this.#trace(line, at);
    if (place === null) return null;
    const named = generatedName === '' ? null : this.#trace(line, at - generatedName.length);
    const isSame = named !== null && named.source === place.source && named.line === place.line;
    return { ...place, name: isSame && named.name !== 'constructor' ? named.name : null };
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
    return isOneLine || named.length === 1 ? { ...place, column: 0, name: null } : null;
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
