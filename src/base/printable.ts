// Names come from strangers: comms, symbols and paths may hold control bytes, terminal escapes or
// bidirectional overrides. Everything that prints passes them through here.

// C0 and C1 controls, DEL, line and paragraph separators, bidi controls, zero-width characters.
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is sought.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** `text` with every character that could move the cursor or reorder text shown as `\xNN`. */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    const code = character.charCodeAt(0);
    return code < 256
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
