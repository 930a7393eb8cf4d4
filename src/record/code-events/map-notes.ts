import { parseForeignJson } from '../../base/foreign-json.ts';
import { parseV8Name } from '../../code/javascript/v8-name.ts';
import { MAX_NOTES_BYTES, sourceMapLine } from '../../read/jit/node-notes.ts';

/** A longer map is left out, as `src/register` does. */
const MOST_URL_BYTES = 16 << 20;
const SEEN_CHARS = 256;
/** A program has one a script. */
const MOST_MAPS = 100_000;

/**
 * The source maps that V8 found inside the scripts of a process as notes, `NodeNote` in `read/jit/node-notes.ts`: those of
 * what a loader made in memory before the process was attached to. Made as the maps come, so that the end of a recording
 * does not wait for them. Sources are left out; a later map of a script takes the place of an earlier one, so that a name
 * is there once however many maps come for it. What is more than a reader takes is left out.
 */
export class MapNotes {
  readonly #lines = new Map<string, Uint8Array>();
  #room = MAX_NOTES_BYTES;

  /** `name`: of some code of the script, as V8 spells it. */
  add(name: Uint8Array, url: Uint8Array): void {
    const file = parseV8Name(Buffer.from(name).toString())?.file ?? '';
    if (file === '' || url.length > MOST_URL_BYTES) return;
    const before = this.#lines.get(file);
    if (before === undefined && this.#lines.size >= MOST_MAPS) return;
    const line = sourceMapLine(file, parseDataUrl(url));
    const more = (line?.length ?? 0) - (before?.length ?? 0);
    if (line === null || more > this.#room) return;
    this.#room -= more;
    this.#lines.set(file, line);
  }

  get lines(): readonly Uint8Array[] {
    return [...this.#lines.values()];
  }
}

/** The JSON of a `data:` URL; null where it has none. */
function parseDataUrl(url: Uint8Array): unknown {
  const bytes = Buffer.from(url.buffer, url.byteOffset, url.byteLength);
  const comma = bytes.indexOf(',');
  if (comma < 0 || comma > SEEN_CHARS) return null;
  const isBase64 = bytes.toString('latin1', 0, comma).endsWith(';base64');
  const data = bytes.toString('latin1', comma + 1);
  return parseForeignJson(isBase64 ? Buffer.from(data, 'base64').toString() : unescaped(data));
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
