import { parseV8Name } from '../../code/javascript/v8-name.ts';
import type { EndedStream } from '../../code/jit/code-events.ts';

/**
 * The source maps that V8 found inside scripts as notes, `NodeNote` in `read/jit/node-notes.ts`: those of
 * what a loader made in memory before the process was attached to. Sources are left out; a later map of
 * a script takes the place of an earlier one.
 */
export function mapNotes(maps: EndedStream['maps']): Uint8Array {
  const lines: string[] = [];
  for (const { name, url } of maps) {
    const file = parseV8Name(name)?.file ?? '';
    const map = file === '' ? null : parseMap(url);
    if (map !== null) lines.push(`${JSON.stringify({ kind: 'sourceMap', url: file, map })}\n`);
  }
  return Buffer.from(lines.join(''));
}

function parseMap(url: string): object | null {
  const comma = url.indexOf(',');
  if (comma < 0) return null;
  const data = url.slice(comma + 1);
  try {
    const isBase64 = url.slice(0, comma).endsWith(';base64');
    const text = isBase64 ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
    const { sourcesContent: _, ...map } = JSON.parse(text) as Record<string, unknown>;
    return map;
  } catch {
    return null;
  }
}
