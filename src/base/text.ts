/** Longer texts are left to the decoder, which is slow to start and then fast. */
const SHORT = 256;
/** A power of two. */
const REMEMBERED = 512;

/** Texts by a hash of their bytes: names and paths of programs come again with each of their processes. */
const remembered: string[] = new Array(REMEMBERED).fill('');

/** Made at the first text that needs it: starting it takes longer than reading most recordings. */
let decoder: InstanceType<typeof TextDecoder> | null = null;

/** UTF-8 up to the first NUL or the end; what is not UTF-8 becomes U+FFFD, nothing throws. */
export function decodeText(bytes: Uint8Array): string {
  const nul = bytes.indexOf(0);
  const end = nul < 0 ? bytes.length : nul;
  return decodeAscii(bytes, end) ?? decodeUtf8(bytes.subarray(0, end));
}

/** Null if a byte is not ASCII, or the text is long. */
function decodeAscii(bytes: Uint8Array, end: number): string | null {
  if (end > SHORT) return null;
  let hash = end;
  for (let i = 0; i < end; i++) {
    const byte = bytes[i];
    if (byte >= 0x80) return null;
    hash = Math.imul(hash ^ byte, HASH_PRIME);
  }
  const slot = (hash ^ (hash >>> 15)) & (REMEMBERED - 1);
  const known = remembered[slot];
  if (known.length === end && isText(known, bytes)) return known;
  const text = String.fromCharCode(...bytes.subarray(0, end));
  remembered[slot] = text;
  return text;
}

/** The prime of FNV-1a for 32 bits. */
const HASH_PRIME = 0x01000193;

function isText(text: string, bytes: Uint8Array): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[i]) return false;
  return true;
}

function decodeUtf8(bytes: Uint8Array): string {
  decoder ??= new TextDecoder();
  return decoder.decode(bytes);
}

/** The text without its percent escapes; as it is where these are no UTF-8. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
