import { parseForeignJson } from '../../base/foreign-json.ts';
import { parseV8Name } from '../../code/javascript/v8-name.ts';
import type { EndedStream } from '../../code/jit/code-events.ts';
import { MAX_NOTES_BYTES, sourceMapLine } from '../../read/jit/node-notes.ts';

/** A longer map is left out, as `src/register` does. */
const MOST_URL_BYTES = 16 << 20;
const SEEN_CHARS = 256;

/**
 * The source maps that V8 found inside scripts as notes, `NodeNote` in `read/jit/node-notes.ts`: those of
 * what a loader made in memory before the process was attached to. Sources are left out; a later map of
 * a script takes the place of an earlier one, so that a name is there once however many maps come for it. What
 * is more than a reader takes is left out: the last ones.
 */
export function mapNotes(maps: EndedStream['maps']): Uint8Array {
  const decoder = new TextDecoder();
  const latest = new Map<string, Uint8Array>();
  for (const { name, url } of maps) {
    const file = parseV8Name(decoder.decode(name))?.file ?? '';
    if (file !== '' && url.length <= MOST_URL_BYTES) latest.set(file, url);
  }
  const lines: Uint8Array[] = [];
  let room = MAX_NOTES_BYTES;
  for (const [file, url] of latest) {
    const line = sourceMapLine(file, parseDataUrl(url));
    if (line === null) continue;
    if (line.length > room) break;
    room -= line.length;
    lines.push(line);
  }
  return Buffer.concat(lines);
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
