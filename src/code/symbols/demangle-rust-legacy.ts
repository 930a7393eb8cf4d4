/**
 * Rust's older mangling, which borrows the shape of C++ nested names:
 *
 *   _ZN 4core 3ptr 13drop_in_place 17h21df8181a7c8a250 E
 *
 * The last part is a hash, `h` and 16 hex digits, and is dropped. Inside a part `$…$` stands for
 * a character that assemblers don't take and `..` for `::`.
 *
 * Null where the name is not of this shape. A C++ name never ends in such a hash, nor has it a `$LT$`:
 * what has neither is taken for C++.
 */
export function demangleRustLegacy(name: string): string | null {
  const match = /^_?_ZN(?=\d)/.exec(name);
  if (match === null) return null;
  const parts: string[] = [];
  let at = match[0].length;
  while (name[at] !== 'E') {
    const digits = /^[0-9]{1,5}/.exec(name.slice(at, at + 5));
    if (digits === null) return null;
    const length = Number(digits[0]);
    at += digits[0].length;
    if (length === 0 || at + length > name.length) return null;
    parts.push(name.slice(at, at + length));
    at += length;
  }
  // What follows is a suffix: `.cold`.
  if (at + 1 < name.length && name[at + 1] !== '.' && name[at + 1] !== '@') return null;
  const isHashed = parts.length > 1 && /^h[0-9a-f]{16}$/.test(parts.at(-1) as string);
  if (isHashed) parts.pop();
  else if (!parts.some((part) => ESCAPE.test(part))) return null;
  const shown: string[] = [];
  for (const part of parts) {
    const text = unescapePart(part);
    if (text === null) return null;
    shown.push(text);
  }
  return shown.join('::');
}

const ESCAPES: Readonly<Record<string, string>> = {
  SP: '@',
  BP: '*',
  RF: '&',
  LT: '<',
  GT: '>',
  LP: '(',
  RP: ')',
  C: ',',
};

/** One of them; all of a part is read by `unescapePart`. */
const ESCAPE = /\$(?:SP|BP|RF|LT|GT|LP|RP|C|u[0-9a-f]{2,6})\$/;

function unescapePart(part: string): string | null {
  // A part can't start with '$', so the compiler puts an underscore before it.
  let rest = part.startsWith('_$') ? part.slice(1) : part;
  let text = '';
  while (rest !== '') {
    if (rest.startsWith('..')) {
      text += '::';
      rest = rest.slice(2);
    } else if (rest.startsWith('$')) {
      const end = rest.indexOf('$', 1);
      if (end < 0) return null;
      const character = unescapeCharacter(rest.slice(1, end));
      if (character === null) return null;
      text += character;
      rest = rest.slice(end + 1);
    } else {
      const plain = /^(?:[A-Za-z0-9_:]|\.(?!\.)|[\u0080-\uffff])+/.exec(rest);
      if (plain === null) return null;
      text += plain[0];
      rest = rest.slice(plain[0].length);
    }
  }
  return text;
}

function unescapeCharacter(code: string): string | null {
  const known = Object.hasOwn(ESCAPES, code) ? ESCAPES[code] : undefined;
  if (known !== undefined) return known;
  const hex = /^u([0-9a-f]{1,6})$/.exec(code);
  if (hex === null) return null;
  const point = Number.parseInt(hex[1], 16);
  const isScalar = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
  const isControl = point < 0x20 || (point >= 0x7f && point < 0xa0);
  return isScalar && !isControl ? String.fromCodePoint(point) : null;
}
