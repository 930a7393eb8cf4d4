// Names come from strangers: comms, symbols and paths may hold control bytes, terminal escapes or
// bidirectional overrides. Everything that prints passes them through here.

// C0 and C1 controls, DEL, line and paragraph separators, bidi controls, zero-width characters, and
// bytes that are not UTF-8 (see byte-text).
const UNPRINTABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is sought.
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|(?<![\ud800-\udbff])[\udc80-\udcff]/g;

/** Most names: a test takes a fraction of the time that a replacement takes. */
const PLAIN = /^[ -~]*$/;

/** `text` with every character that could move the cursor or reorder text shown as `\xNN`. */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNPRINTABLE, (character) => {
    const unit = character.charCodeAt(0);
    const code = unit >= 0xdc80 && unit <= 0xdcff ? unit - 0xdc00 : unit;
    return code < 256
      ? `\\x${code.toString(16).padStart(2, '0')}`
      : `\\u${code.toString(16).padStart(4, '0')}`;
  });
}
