// Arguments, environment variables and paths are bytes to the kernel, and need not be UTF-8. Here
// they are strings all the same: a byte that is not part of valid UTF-8 becomes the lone surrogate
// U+DC00 + byte (U+DC80 … U+DCFF), which valid UTF-8 never decodes to, so that nothing is lost.
// Python's `surrogateescape` does the same. Valid UTF-8 is its usual text.

const LONE_BYTE = /(?<![\ud800-\udbff])[\udc80-\udcff]/;
const LONE_BYTES = /((?<![\ud800-\udbff])[\udc80-\udcff])/;
const ESCAPE_BASE = 0xdc00;

/** The text of any bytes. */
export function textOfBytes(bytes: Uint8Array): string {
  let text = '';
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  for (let start = 0; start < bytes.length; ) {
    const end = validEnd(bytes, start);
    text += decoder.decode(bytes.subarray(start, end));
    start = end;
    if (end < bytes.length) text += String.fromCharCode(ESCAPE_BASE + bytes[start++]);
  }
  return text;
}

/** The bytes that `text` stands for. */
export function bytesOfText(text: string): Uint8Array {
  const encoder = new TextEncoder();
  if (!isEscaped(text)) return encoder.encode(text);
  const parts = text
    .split(LONE_BYTES)
    .map((part) =>
      part.length === 1 && isEscaped(part)
        ? Uint8Array.of(part.charCodeAt(0) - ESCAPE_BASE)
        : encoder.encode(part),
    );
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Whether `text` stands for bytes that are not UTF-8. */
export function isEscaped(text: string): boolean {
  return LONE_BYTE.test(text);
}

/** End of the valid UTF-8 that begins at `start`: the length of all, or a byte that is not. */
function validEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length === 0) return at;
    at += length;
  }
  return at;
}

/**
 * Length of the well-formed sequence at `at`, 0 if there is none (the Unicode standard, table 3-7):
 *
 *     00..7F
 *     C2..DF 80..BF
 *     E0     A0..BF 80..BF        E1..EC, EE..EF 80..BF 80..BF     ED 80..9F 80..BF
 *     F0     90..BF 80..BF 80..BF     F1..F3 80..BF 80..BF 80..BF     F4 80..8F 80..BF 80..BF
 */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length === 0 || at + length > bytes.length) return 0;
  const second = bytes[at + 1];
  const min = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const max = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (second < min || second > max) return 0;
  for (let i = 2; i < length; i++) {
    const next = bytes[at + i];
    if (next < 0x80 || next > 0xbf) return 0;
  }
  return length;
}
