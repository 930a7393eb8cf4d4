// RFC 3492, as Rust names use it: `_` in place of `-` before the encoded part.

const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_POINT = 0x80;
/** Longer identifiers are not written by people; insertion is quadratic. */
const MAX_CHARACTERS = 2048;

/**
 * The text that `encoded` stands for: `gdel_5qa` → `gödel`. Null if it is not Punycode.
 *
 * The ASCII characters come first, literally. Then follow, as variable-length integers, the steps
 * of a counter that runs over (code point, position) pairs; where it stops, the code point is
 * inserted.
 */
export function decodePunycode(encoded: string): string | null {
  const delimiter = encoded.lastIndexOf('_');
  const points = delimiter < 0 ? [] : Array.from(encoded.slice(0, delimiter), pointOf);
  let point = INITIAL_POINT;
  let position = 0;
  let bias = INITIAL_BIAS;
  let at = delimiter + 1;
  if (at >= encoded.length || encoded.length > MAX_CHARACTERS) return null;
  while (at < encoded.length) {
    const before = position;
    let weight = 1;
    for (let k = BASE; ; k += BASE) {
      const digit = digitOf(encoded.charCodeAt(at++));
      if (digit < 0) return null;
      position += digit * weight;
      const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX);
      if (digit < threshold) break;
      weight *= BASE - threshold;
      if (!Number.isSafeInteger(weight * BASE + position)) return null;
    }
    const count = points.length + 1;
    bias = adapt(position - before, count, before === 0);
    point += Math.floor(position / count);
    position %= count;
    if (point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return null;
    points.splice(position++, 0, point);
  }
  return points.map((p) => String.fromCodePoint(p)).join('');
}

function adapt(delta: number, count: number, isFirst: boolean): number {
  let rest = isFirst ? Math.floor(delta / DAMP) : delta >> 1;
  rest += Math.floor(rest / count);
  let k = 0;
  for (; rest > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) rest = Math.floor(rest / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + SKEW));
}

/** a–z are 0–25, 0–9 are 26–35; −1 for anything else, the end of the text included. */
function digitOf(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code - 0x61;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 26;
  return -1;
}

function pointOf(character: string): number {
  return character.codePointAt(0) as number;
}
