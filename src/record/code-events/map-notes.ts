import { parseForeignJson } from '../../base/foreign-json.ts';
import { withVersion } from '../../code/javascript/script-path.ts';
import { parseV8Name } from '../../code/javascript/v8-name.ts';
import type { EndedStream } from '../../code/jit/code-events.ts';
import { encodeVersion } from '../../code/jit/code-record.ts';
import { MAX_NOTES_BYTES, sourceMapLine } from '../../read/jit/node-notes.ts';

/** A longer map is left out, as `src/register` does. */
const MOST_URL_BYTES = 16 << 20;
const SEEN_CHARS = 256;

/** Versions of one path that are told apart: whoever edits a module more often while it is recorded sees the last. */
const MOST_VERSIONS = 64;

/** The source maps of one process, and for each of its streams the records that tell its versions (`encodeVersion`). */
export type MapNotes = {
  readonly notes: Uint8Array;
  readonly versions: readonly Uint8Array[];
};

/**
 * The source maps that V8 found inside scripts as notes, `NodeNote` in `read/jit/node-notes.ts`: those of
 * what a loader made in memory before the process was attached to, and of modules that a development server evaluates.
 * Sources are left out. Scripts of one path with different maps are versions of it, each with a note of its own. What
 * is more than a reader takes is left out: the last ones.
 */
export function mapNotes(streams: readonly EndedStream['maps'][]): MapNotes {
  const decoder = new TextDecoder();
  const byFile = new Map<string, Uint8Array[]>();
  const versions = streams.map((maps) => {
    const records: Uint8Array[] = [];
    for (const { script, name, url } of maps) {
      const file = parseV8Name(decoder.decode(name))?.file ?? '';
      if (file === '' || url.length > MOST_URL_BYTES) continue;
      const urls = byFile.get(file) ?? [];
      byFile.set(file, urls);
      const known = urls.findIndex((other) => Buffer.compare(other, url) === 0);
      const version = known >= 0 ? known : Math.min(urls.length, MOST_VERSIONS - 1);
      urls[version] = url;
      if (version > 0) records.push(encodeVersion(script, version));
    }
    return Buffer.concat(records);
  });
  return { notes: notesOf(byFile), versions };
}

function notesOf(byFile: ReadonlyMap<string, readonly Uint8Array[]>): Uint8Array {
  const lines: Uint8Array[] = [];
  let room = MAX_NOTES_BYTES;
  for (const [file, urls] of byFile) {
    for (const [version, url] of urls.entries()) {
      const line = sourceMapLine(withVersion(file, version), parseDataUrl(url));
      if (line === null) continue;
      if (line.length > room) return Buffer.concat(lines);
      room -= line.length;
      lines.push(line);
    }
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
