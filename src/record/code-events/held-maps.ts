import { dirname, isAbsolute, resolve } from 'node:path';
import { fieldOf, parseForeignJson } from '../../base/foreign-json.ts';
import {
  MARKED_TAIL_BYTES,
  mappingUrl,
  pathOfMap,
  withoutGuard,
} from '../../code/javascript/mapping-url.ts';
import { pathOfScript, versionedPath, withVersion } from '../../code/javascript/script-path.ts';
import { fileOfV8Name } from '../../code/javascript/v8-name.ts';
import { openForReaders, type Reader } from '../../read/files/access.ts';
import { sourceMapLine } from '../../read/jit/node-notes.ts';
import { statOrNull } from '../../system/small-file.ts';
import { silentPlaces } from '../../system/strangers/silent-places.ts';

const MOST_MAP_BYTES = 16 << 20;
/** Bytes of all maps together. */
const MOST_BYTES = 32 << 20;
const MOST_SCRIPTS = 4096;

/** A map as it was when a process compiled its script. */
type HeldMap = {
  /** Inode, size and time of the last change of the script and of the map. */
  readonly version: string;
  readonly path: string;
  readonly text: string;
};

/**
 * The source maps that lie beside the scripts of a recorded command, read when a script is met: a build removes
 * its files, or writes them again, before the recording ends. Those that are still there then are left to who reads the
 * recording. A process that compiles a script again after a build has a version of the path for each map.
 */
export class HeldMaps {
  readonly #readers: readonly Reader[];
  /** Maps by process and script, in the order of their versions; empty: has none. */
  readonly #maps = new Map<number, Map<string, HeldMap[]>>();
  readonly #texts = new Map<string, HeldMap>();
  #scripts = 0;
  #bytes = 0;

  /** `readers`: users who must be allowed to read a file, see `openForReaders`. */
  constructor(readers: readonly Reader[]) {
    this.#readers = readers;
  }

  /** Sees the name of code of a process, as V8 spells it. */
  meet(pid: number, name: Uint8Array): void {
    const file = fileOfV8Name(name);
    // Names of scripts of no path, of dependencies, and of Node are most.
    if (!/^(?:file:\/\/)?\//.test(file) || file.includes('/node_modules/')) return;
    const script = versionedPath(file);
    const maps = this.#maps.get(pid) ?? new Map<string, HeldMap[]>();
    this.#maps.set(pid, maps);
    if (!maps.has(script)) maps.set(script, this.#readNew(script));
  }

  /** Sees the name of the first code of another script. Returns the version that the script is of its path; 0: the first. */
  meetScript(pid: number, name: Uint8Array): number {
    const script = versionedPath(fileOfV8Name(name));
    const known = this.#maps.get(pid)?.get(script);
    if (
      known?.[0] === undefined ||
      known[0].version === versionOf(pathOfScript(script), known[0].path)
    )
      return 0;
    const [now] = this.#readNew(script);
    const same = known.findIndex(({ version }) => version === now?.version);
    if (same < 0 && now !== undefined) known.push(now);
    return same < 0 ? known.length - 1 : same;
  }

  #readNew(script: string): HeldMap[] {
    const held = this.#scripts < MOST_SCRIPTS ? this.#read(pathOfScript(script)) : null;
    this.#scripts++;
    return held === null ? [] : [held];
  }

  /** The map beside a script, as it is now. */
  #read(script: string): HeldMap | null {
    if (silentPlaces.mayWait(script)) return null;
    const path = this.#mapPath(script);
    if (path === null || silentPlaces.mayWait(path)) return null;
    const version = versionOf(script, path);
    const known = this.#texts.get(version);
    if (known !== undefined) return known;
    const text = this.#text(path);
    if (text === null || this.#bytes + text.length > MOST_BYTES) return null;
    this.#bytes += text.length;
    const held = { version, path, text };
    this.#texts.set(version, held);
    return held;
  }

  #mapPath(script: string): string | null {
    const tail = isAbsolute(script) ? this.#text(script, MARKED_TAIL_BYTES) : null;
    const url = tail === null ? null : mappingUrl(tail);
    const named = url === null ? null : pathOfMap(url);
    return named === null ? null : resolve(dirname(script), named);
  }

  /** The text of a file, or of its last `tail` bytes; null where it can't or must not be read. */
  #text(path: string, tail?: number): string | null {
    const file = openForReaders(path, this.#readers);
    if (typeof file === 'string') return null;
    try {
      const { size } = file.source;
      if (tail === undefined && size > MOST_MAP_BYTES) return null;
      const from = tail === undefined ? 0 : Math.max(0, size - tail);
      return Buffer.from(file.source.read(from, size - from)).toString();
    } catch {
      return null;
    } finally {
      file.source.close?.();
    }
  }

  /**
   * Notes, `NodeNote` in `read/jit/node-notes.ts`, of the maps of a process that are not there any more as they were, or that
   * another process, or this one, ran in another version.
   */
  notes(pid: number): Uint8Array {
    const lines: Uint8Array[] = [];
    for (const [script, held] of this.#maps.get(pid) ?? []) {
      const [first] = held;
      if (first === undefined || silentPlaces.mayWait(first.path)) continue;
      const isSame = [...this.#maps.values()]
        .flatMap((maps) => maps.get(script) ?? [])
        .every(({ version }) => version === first.version);
      const path = pathOfScript(script);
      if (isSame && versionOf(path, first.path) === first.version) continue;
      for (const [version, map] of held.entries()) {
        const line = sourceMapLine(withVersion(script, version), mapBeside(path, map));
        if (line !== null) lines.push(line);
      }
    }
    return Buffer.concat(lines);
  }
}

function versionOf(...paths: readonly string[]): string {
  return paths
    .map((path) => {
      const { dev, ino, size, mtimeMs } = statOrNull(path) ?? {};
      return [path, dev, ino, size, mtimeMs].join(':');
    })
    .join('\n');
}

/** The map as one in the script's own folder; what the text is where it is none. */
function mapBeside(script: string, { path, text }: HeldMap): unknown {
  const map = parseForeignJson(withoutGuard(text));
  const root = fieldOf(map, 'sourceRoot') ?? '';
  const isBeside = dirname(path) === dirname(script) || typeof root !== 'string' || root !== '';
  return isBeside || typeof map !== 'object' ? map : { ...map, sourceRoot: `${dirname(path)}/` };
}
