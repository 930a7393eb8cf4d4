const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [/µ/g, 'u'],
  [/±/g, '+-'],
  [/[–−]/g, '-'],
  [/…/g, '...'],
  [/×/g, 'x'],
  [/λ/g, 'lambda'],
  [/Δ/g, 'd'],
  [/Σ/g, 'sum'],
  [/→/g, '->'],
  [/≥/g, '>='],
];

/** `text` for a terminal that shows nothing but ASCII; what has no likeness becomes `?`. */
export function toAscii(text: string): string {
  let plain = text;
  for (const [pattern, replacement] of REPLACEMENTS) plain = plain.replace(pattern, replacement);
  return plain.replace(/\P{ASCII}/gu, '?');
}
