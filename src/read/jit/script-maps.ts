import { constants } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { memoize } from '../../base/memoize.ts';
import { once } from '../../base/once.ts';
import type { ScriptName } from '../../code/javascript/jsc-name.ts';
import {
  MAPPING_MARK,
  MARKED_TAIL_BYTES,
  mappingUrl,
  pathOfMap,
  textOfDataUrl,
} from '../../code/javascript/mapping-url.ts';
import { ScriptFunctions } from '../../code/javascript/script-functions.ts';
import { pathOfScript, versionedPath } from '../../code/javascript/script-path.ts';
import {
  type MappedSources,
  SourceMap,
  type SourceMaps,
} from '../../code/javascript/source-map.ts';
import { isTextOf } from '../../code/javascript/source-names.ts';
import { folderUnlessLeft, homeFolder } from '../../system/accounts/home-folder.ts';
import { noteAsked } from '../../system/asked-files.ts';
import type { OpenFile } from '../../system/files/open-regular.ts';
import { statOrNull } from '../../system/small-file.ts';
import { openForReaders, readersBesidesRoot, readersOfNamed } from '../files/access.ts';
import { locateSource } from './locate-source.ts';
import { NotedMaps } from './noted-maps.ts';
import { parseScript } from './parse-script.ts';

const JAVASCRIPT = /\.[cm]?jsx?$/;
/** Scripts and maps beyond this are not read; a large bundle has a tenth. */
const MAX_FILE_BYTES = 128 * 2 ** 20;
/**
 * Characters of the scripts and sources that are parsed for names, of one and of all together; as many again to find out what ran. Usual code of this
 * size takes about a second, the densest that there is some seconds and 400 MB. The size is what bounds the time, so that
 * a recording has the same names on a busy machine.
 */
const MAX_PARSED = 4 << 20;
const MAX_PARSED_OF_ALL = 8 << 20;

export type ScriptMapsOptions = {
  readonly diagnostics: Diagnostics;
  /** The recorded machine's files are below this directory. */
  readonly symfs?: string;
  /** The directory of an archive (`perf-ts archive`): files as they were. */
  readonly archive?: string;
  /** Hears of the path of each file that named something and that everybody may read, or whose script is what ran. */
  readonly onFile?: (path: string) => void;
  /** When the recording ended; files changed since then are not used. */
  readonly recordedMs?: number;
  /** The recording that names the scripts; `-` or absent: of a live program. */
  readonly recording?: string;
  /** Deno's cache; default: where Deno of this user has it. */
  readonly denoDirectory?: string;
  /** A folder with maps of scripts that have none beside them. */
  readonly mapFolder?: string;
  /** The functions of a script (a path) that V8 named: they tell whether a newer file is what ran. */
  readonly functionsOf?: (script: string) => readonly ScriptName[];
};

/**
 * The source maps of scripts: those that the process noted of what its loaders made in memory, then
 * those that the scripts name on disk, inside or beside them. Each script is looked at once.
 */
export class ScriptMaps implements SourceMaps {
  readonly #options: ScriptMapsOptions;
  readonly #noted = new NotedMaps();
  readonly #found = memoize((path: string) => this.#findMap(path, null));
  readonly #foundIn = memoize((path: string) => memoize((pid: number) => this.#findMap(path, pid)));
  readonly #emitted = memoize((path: string) => this.#findEmittedMap(path));
  readonly #lines = memoize((path: string) => this.#read(path, path)?.split('\n') ?? null);
  readonly #withoutMap = new Set<string>();
  readonly #readers = once(() => readersBesidesRoot(this.#options.recording ?? '-'));
  /** Users whose rights count for what a script names: scripts and maps are of strangers. */
  readonly #readersOf = memoize((script: string) => {
    const places = this.#placesOf(script).map(({ place }) => place);
    for (const place of places) noteAsked(place);
    const [file] = places.flatMap((place) => statOrNull(place) ?? []);
    return file === undefined ? this.#readers() : readersOfNamed(file, this.#readers());
  });
  readonly #files = memoize((script: string): MappedSources => {
    const read = memoize((path: string) => this.#readSource(path, script));
    const locate: MappedSources['locate'] = (named, resolved, url, content) =>
      locateSource({ named, resolved, url, content }, read);
    const functionsOf = (path: string, text: string) => this.#functionsIn(path, text);
    const mapOf: MappedSources['mapOf'] = (path, content) => {
      if (path === script || !JAVASCRIPT.test(path)) return null;
      return content === null || content === read(path) ? this.#found(path) : null;
    };
    return { locate, read, functionsOf, mapOf };
  });
  readonly #functions = memoize((path: string) =>
    isAbsolute(path)
      ? this.#functionsOfFile(path, { tooLarge: 'script-not-parsed', isQuiet: true })
      : null,
  );
  /** Functions by text, since a source may be that of several maps, and of the script itself. */
  readonly #parsed = new Map<string, ScriptFunctions | null>();
  /** Finding out what ran takes nothing from the names, which come later. */
  readonly #parsedCharacters = { names: 0, trials: 0 };

  constructor(options: ScriptMapsOptions) {
    this.#options = options;
  }

  /** A map that a process noted while it ran; `url` as V8 was given it. */
  addNoted(url: string, map: object, pid: number): void {
    const path = versionedPath(url);
    if (!this.#noted.add(path, map, pid)) this.#options.diagnostics.count('source-map-again', path);
  }

  /** Whether a process ran a script with another map than other processes did. */
  hasOwnMaps(pid: number | null): boolean {
    return pid !== null && this.#noted.pidsApart.has(pid);
  }

  find(script: string, pid: number | null = null): SourceMap | null {
    const path = versionedPath(script);
    return pid !== null && this.hasOwnMaps(pid) ? this.#foundIn(path)(pid) : this.#found(path);
  }

  /**
   * Deno keeps what it makes of a local file in its cache, with the map inside, and makes it again
   * when the file has changed.
   */
  findEmitted(script: string): SourceMap | null {
    return this.#emitted(pathOfScript(script));
  }

  functionsOf(script: string): ScriptFunctions | null {
    return this.#functions(pathOfScript(script));
  }

  #functionsOfFile(path: string, reading: Reading): ScriptFunctions | null {
    const text = this.#read(path, path, { ...reading, max: MAX_PARSED });
    if (text === null) return null;
    const purpose = reading.isTrial === true ? 'trials' : 'names';
    return this.#functionsIn(path, text.replace(/^\uFEFF/, ''), purpose);
  }

  #functionsIn(
    path: string,
    text: string,
    purpose: 'names' | 'trials' = 'names',
  ): ScriptFunctions | null {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    if (text.length > Math.min(MAX_PARSED, MAX_PARSED_OF_ALL - this.#parsedCharacters[purpose])) {
      this.#options.diagnostics.count('script-not-parsed', path);
      return null;
    }
    this.#parsedCharacters[purpose] += text.length;
    const program = parseScript(text, path);
    const functions = program === null ? null : new ScriptFunctions(text, program);
    this.#parsed.set(text, functions);
    return functions;
  }

  #findMap(versioned: string, pid: number | null): SourceMap | null {
    const noted = this.#noted.find(versioned, pid);
    const path = pathOfScript(versioned);
    if (noted === undefined) return this.#findOnDisk(path);
    // Notes are without the sources' texts; a script that ran as it is on disk has them.
    const onDisk = this.#findInside(path);
    const files = this.#files(path);
    const isOutdated = this.#noted.isOutdated(path, noted);
    const map = SourceMap.from(noted, path, isOutdated ? { ...files, read: () => null } : files);
    return onDisk !== null && map !== null && onDisk.isSame(map) ? onDisk : map;
  }

  #findInside(path: string): SourceMap | null {
    return this.#parseInside(this.#files(path).read(path), path);
  }

  #findEmittedMap(path: string): SourceMap | null {
    const map = isAbsolute(path) ? this.#findInCache(path) : null;
    if (map === null) this.#options.diagnostics.count('source-map-missing', path);
    return map;
  }

  #findInCache(path: string): SourceMap | null {
    const { denoDirectory = denoCache() } = this.#options;
    const text = this.#read(join(denoDirectory, 'gen/file', `${path}.js`), path);
    return this.#parseInside(text, path);
  }

  /**
   * Whether a token begins at this place of a file that V8 can't run as it is. Node that strips types
   * itself leaves all else where it was; loaders write new lines. A Node that has no columns (0) strips
   * none.
   */
  mayBegin(script: string, line: number, column: number): boolean {
    const path = pathOfScript(script);
    if (!/\.(?:[cm]?ts|[jt]sx)$/.test(path) || (line === 1 && column === 1)) return true;
    // Profiles of others have lines alone.
    if (column === 0) return true;
    const lines = this.#lines(path);
    if (lines === null || beginsToken(lines[line - 1] ?? '', column)) return true;
    // The loader puts helpers of its own in front of the file's code, which its map does not have.
    if (this.#found(path) !== null || this.#withoutMap.has(path)) return false;
    this.#options.diagnostics.count('source-map-missing', path);
    this.#withoutMap.add(path);
    return false;
  }

  /** The map that a script names, or that lies beside it unnamed, as bundlers leave those that are not for the public. */
  #findOnDisk(path: string): SourceMap | null {
    if (!isAbsolute(path)) return null;
    const url = this.#mappingUrl(path);
    if (url === null) return this.#findHidden(path);
    const inside = textOfDataUrl(url);
    if (inside !== null) return this.#parse(inside, path, path);
    const named = pathOfMap(url);
    if (named === null) return this.#findHidden(path);
    const beside = resolve(dirname(path), named);
    const text = this.#read(beside, path);
    return text === null ? this.#findInFolder(path) : this.#parse(text, beside, path);
  }

  #findHidden(path: string): SourceMap | null {
    const beside = `${path}.map`;
    const text = this.#read(beside, path, { isQuiet: true });
    return text === null ? this.#findInFolder(path) : this.#parse(text, beside, path);
  }

  /** The map of this script in the folder that was asked for: the one whose path there agrees the longest. */
  #findInFolder(path: string): SourceMap | null {
    const { mapFolder } = this.#options;
    if (mapFolder === undefined) return null;
    const names = path.split('/').filter((name) => name !== '');
    for (let from = 0; from < names.length; from++) {
      const at = join(mapFolder, `${names.slice(from).join('/')}.map`);
      const text = this.#read(at, path, { isOfUser: true, isQuiet: true });
      // Its sources are counted from where the script has it.
      if (text !== null) return this.#parse(text, `${path}.map`, path);
    }
    return null;
  }

  /** The map inside the text of a script. */
  #parseInside(script: string | null, path: string): SourceMap | null {
    const url = script === null ? null : mappingUrl(script);
    const text = url === null ? null : textOfDataUrl(url);
    return text === null ? null : this.#parse(text, path, path);
  }

  #parse(text: string, url: string, script: string): SourceMap | null {
    const map = SourceMap.parse(text, url, this.#files(script));
    if (map === null) this.#options.diagnostics.count('source-map-malformed', url);
    return map;
  }

  /**
   * Whether a script that is newer than the recording, as a copy of it is, has the text that ran: each function
   * of it that V8 named begins there.
   */
  readonly #isAsRun = memoize((script: string): boolean => {
    const names = this.#options.functionsOf?.(script) ?? [];
    if (names.length === 0) return false;
    const functions = this.#functionsOfFile(script, { isTrial: true, isQuiet: true });
    return functions !== null && isTextOf(functions, names);
  });

  /** The URL of its map that a script has. */
  #mappingUrl(path: string): string | null {
    const tail = this.#read(path, path, { tail: MARKED_TAIL_BYTES, isLook: true });
    if (tail === null) return null;
    // A map inside the script is one long line, whose beginning the tail does not have.
    const isCut = !tail.includes(MAPPING_MARK) && !tail.trimEnd().includes('\n');
    const text = isCut ? this.#read(path, path, { isLook: true }) : tail;
    return text === null ? null : mappingUrl(text);
  }

  /** A source that was changed since the recording, or can't be read, is as good as gone. */
  #readSource(path: string, script: string): string | null {
    const isSource = path !== script;
    return isAbsolute(path) ? this.#read(path, script, { isQuiet: true, isSource }) : null;
  }

  /** The places in which a file of the recorded machine may lie, best first. */
  #placesOf(path: string): Place[] {
    const { archive, symfs } = this.#options;
    const here = { place: symfs === undefined ? path : join(symfs, path), isAnyTime: false };
    return archive === undefined ? [here] : [{ place: join(archive, path), isAnyTime: true }, here];
  }

  #open(places: readonly Place[], script: string) {
    for (const { place, isAnyTime } of places) {
      const file = openForReaders(place, this.#readersOf(script));
      if (typeof file !== 'string') return { ...file, isAnyTime };
    }
    return null;
  }

  #notify(path: string, script: string, { mode }: OpenFile): void {
    const { onFile } = this.#options;
    if (onFile === undefined) return;
    if ((mode & constants.S_IROTH) !== 0 || this.#isAsRun(script)) onFile(path);
  }

  /**
   * The text of a file that `script` names, or of its last `tail` bytes; null where it can't or must not be read.
   */
  #read(path: string, script: string, reading: Reading = {}): string | null {
    const { tail, isQuiet = false, max = MAX_FILE_BYTES } = reading;
    const { recordedMs } = this.#options;
    const diagnostics = isQuiet ? null : this.#options.diagnostics;
    const places = reading.isOfUser ? [{ place: path, isAnyTime: true }] : this.#placesOf(path);
    const file = this.#open(places, script);
    if (file === null) return null;
    try {
      const { size } = file.source;
      if (size > max) {
        if (reading.tooLarge !== undefined) this.#options.diagnostics.count(reading.tooLarge, path);
        else diagnostics?.count('source-map-too-large', path);
        return null;
      }
      const isNewer = recordedMs !== undefined && file.modifiedMs > recordedMs;
      // Only newer ones are parsed to find out whether they are what ran.
      if (
        isNewer &&
        !file.isAnyTime &&
        reading.isTrial !== true &&
        (reading.isSource || !this.#isAsRun(script))
      ) {
        diagnostics?.count('source-map-changed', path);
        return null;
      }
      const from = tail === undefined ? 0 : Math.max(0, size - tail);
      const text = Buffer.from(file.source.read(from, size - from)).toString();
      const names = !reading.isTrial && (!reading.isLook || text.includes(MAPPING_MARK));
      if (names) this.#notify(path, script, file);
      return text;
    } catch {
      return null;
    } finally {
      file.source.close?.();
    }
  }
}

/** A place of a file; `isAnyTime`: it counts as it is, whenever it was written. */
type Place = { readonly place: string; readonly isAnyTime: boolean };

type Reading = {
  /** Finds out whether it is the script that ran: it has named nothing yet, and may be newer than the recording. */
  readonly isTrial?: boolean;
  /** Only a script that names its map has named something. */
  readonly isLook?: boolean;
  /** A source: its text is of use only as it was when the script was made of it. */
  readonly isSource?: boolean;
  /** The user has named it: it is on this machine, and counts as it is. */
  readonly isOfUser?: boolean;
  /** Only the last bytes, this many. */
  readonly tail?: number;
  /** Missing files are not counted. */
  readonly isQuiet?: boolean;
  /** Bytes; larger files are not read. */
  readonly max?: number;
  /** How such a file is counted, also where `isQuiet`. */
  readonly tooLarge?: 'script-not-parsed';
};

/** Deno's cache, as Deno of this user has it. */
export function denoCache(): string {
  const { DENO_DIR, XDG_CACHE_HOME } = process.env;
  const cache = XDG_CACHE_HOME ?? join(homeFolder() ?? '/', '.cache');
  return folderUnlessLeft(DENO_DIR ?? join(cache, 'deno'));
}

/** Functions begin at the parenthesis of their parameters, or with a word: `async`, `x => …`. */
function beginsToken(text: string, column: number): boolean {
  const [before, at] = [text[column - 2] ?? '', text[column - 1] ?? ''];
  return /[^\s)\]};,.=]/.test(at) && !(/[\w$]/.test(before) && /[\w$]/.test(at));
}
