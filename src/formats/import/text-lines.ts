import type { ByteSource } from '../../base/byte-source.ts';

const PIECE_BYTES = 1 << 20;

/** Calls `visit` with each line of `source`, without its end (LF or CR LF); UTF-8. */
export function forEachLine(source: ByteSource, visit: (line: string) => void): void {
  const decoder = new TextDecoder();
  let rest = '';
  for (let at = 0; at < source.size; at += PIECE_BYTES) {
    const isLast = at + PIECE_BYTES >= source.size;
    const text = rest + decoder.decode(source.read(at, PIECE_BYTES), { stream: !isLast });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      visit(
        text.charCodeAt(end - 1) === CARRIAGE_RETURN
          ? text.slice(start, end - 1)
          : text.slice(start, end),
      );
      start = end + 1;
    }
    rest = text.slice(start);
  }
  if (rest !== '') visit(rest);
}

const CARRIAGE_RETURN = 13;
