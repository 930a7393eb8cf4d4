import type { ByteSource } from '../../base/byte-source.ts';

const PIECE_BYTES = 1 << 20;
const CARRIAGE_RETURN = 13;

/**
 * Calls `visit` with each line of `source`, without its end (LF or CR LF); UTF-8. `checkLength` gets the
 * length of a line that spans pieces before it is put together, and throws where that is too long.
 */
export function forEachLine(
  source: ByteSource,
  visit: (line: string) => void,
  checkLength: (characters: number) => void = () => {},
): void {
  const decoder = new TextDecoder();
  /** The pieces of a line whose end was not met yet, joined only then: it may have any length. */
  let begun: string[] = [];
  let begunLength = 0;
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    const isLast = at + PIECE_BYTES >= source.size;
    const text = decoder.decode(source.read(at, PIECE_BYTES), { stream: !isLast });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const piece = text.slice(start, end);
      const line = begun.length === 0 ? piece : begun.join('') + piece;
      begun = [];
      begunLength = 0;
      visit(line.charCodeAt(line.length - 1) === CARRIAGE_RETURN ? line.slice(0, -1) : line);
      start = end + 1;
    }
    begun.push(text.slice(start));
    begunLength += text.length - start;
    checkLength(begunLength);
  }
  const last = begun.join('');
  if (last !== '') visit(last);
}
