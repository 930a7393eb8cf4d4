import { decodePercent } from '../../base/text.ts';
import { pathOfScript } from './script-path.ts';

/** The comment of a script that names its source map. */
export const MAPPING_MARK = 'sourceMappingURL=';
/** Bytes at the end of a script, where the mark of one with a map beside it stands. */
export const MARKED_TAIL_BYTES = 4096;
const INLINE = 'data:application/json';

/** The URL of its map that a script has in its text; the last one counts. Null where it has none. */
export function mappingUrl(text: string): string | null {
  const at = text.lastIndexOf(MAPPING_MARK);
  return at < 0 ? null : (/^[^\s'"*]+/.exec(text.slice(at + MAPPING_MARK.length))?.[0] ?? null);
}

/** The text of a map that is written in its URL; null for any other URL. */
export function textOfDataUrl(url: string): string | null {
  const comma = url.startsWith(INLINE) ? url.indexOf(',') : -1;
  if (comma < 0) return null;
  const data = url.slice(comma + 1);
  const isBase64 = url.slice(0, comma).endsWith(';base64');
  return isBase64 ? Buffer.from(data, 'base64').toString() : decodePercent(data);
}

/** The path of the map that a script names by `url`, from its own folder on; null for a URL that leads elsewhere, or has the map in it. */
export function pathOfMap(url: string): string | null {
  const named = pathOfScript(url);
  if (/^[a-z][a-z+.-]*:/i.test(named)) return null;
  return named === url ? decodePercent(url) : named;
}

/** The text of a map without what some servers put in front, against scripts that load JSON of others. */
export function withoutGuard(text: string): string {
  return text.replace(/^\)\]\}'[^\n]*\n/, '');
}
