import { parseForeignJson } from '../../base/foreign-json.ts';
import { lateModules } from '../../base/late-modules.ts';
import { textOfDataUrl } from '../../code/javascript/mapping-url.ts';
import { withVersion } from '../../code/javascript/script-path.ts';
import { fileOfV8Name } from '../../code/javascript/v8-name.ts';
import { MAX_NOTES_BYTES, sourceMapLine } from '../../read/jit/node-notes.ts';

/** A longer map is left out, as `src/register` does. */
const MOST_URL_BYTES = 16 << 20;
/** A program has one a script. */
const MOST_MAPS = 100_000;
/** Versions of one path that are told apart: whoever edits a module more often while it is recorded sees the last. */
const MOST_VERSIONS = 64;

/** The source map of one version of a path. */
type MapNote = { readonly digest: string; readonly line: Uint8Array };

/**
 * The source maps that V8 found inside the scripts of a process as notes, `NodeNote` in `read/jit/node-notes.ts`: those of
 * what a loader made in memory before the process was attached to, and of modules that a development server evaluates.
 * Made as the maps come, so that the end of a recording does not wait for them. Sources are left out. Scripts of one path
 * with different maps are versions of it, each with a note of its own. What is more than a reader takes is left out.
 */
export class MapNotes {
  readonly #byFile = new Map<string, MapNote[]>();
  #count = 0;
  #room = MAX_NOTES_BYTES;

  /** `name`: of some code of the script, as V8 spells it. Returns the version that the script is of its path; 0: the first. */
  add(name: Uint8Array, url: Uint8Array): number {
    const file = fileOfV8Name(name);
    if (file === '' || url.length > MOST_URL_BYTES) return 0;
    const known = this.#byFile.get(file) ?? [];
    const digest = lateModules.crypto.createHash('sha1').update(url).digest('base64');
    const same = known.findIndex((note) => note.digest === digest);
    if (same >= 0) return same;
    const version = Math.min(known.length, MOST_VERSIONS - 1);
    const before = known[version];
    if (before === undefined && this.#count >= MOST_MAPS) return 0;
    const text = textOfDataUrl(Buffer.from(url).toString('latin1'));
    const map = text === null ? null : parseForeignJson(text);
    const line = sourceMapLine(withVersion(file, version), map);
    const more = (line?.length ?? 0) - (before?.line.length ?? 0);
    if (line === null || more > this.#room) return 0;
    this.#room -= more;
    if (before === undefined) this.#count++;
    known[version] = { digest, line };
    this.#byFile.set(file, known);
    return version;
  }

  get lines(): readonly Uint8Array[] {
    return [...this.#byFile.values()].flat().map(({ line }) => line);
  }
}
