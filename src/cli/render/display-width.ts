const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
// Hangul, CJK, kana, fullwidth forms and emoji take two columns in a terminal.
const DOUBLE_WIDTH =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]$/u;
const ASCII_ONLY = /^[ -~]*$/;

/** Terminal columns that `text` takes. `text` holds no control characters and no escapes. */
export function displayWidth(text: string): number {
  if (ASCII_ONLY.test(text)) return text.length;
  let width = 0;
  for (const character of text) {
    if (ZERO_WIDTH.test(character)) continue;
    width += DOUBLE_WIDTH.test(character) ? 2 : 1;
  }
  return width;
}
