/** The four bytes at `at`, as Arm's instructions are stored; 0, which is none, outside the text. */
export function instruction(text: Uint8Array, at: number): number {
  if (at < 0 || at + 4 > text.length) return 0;
  return new DataView(text.buffer, text.byteOffset + at, 4).getUint32(0, true);
}

/** Whether the bits of `mask` are those of `value`. */
export function matches(code: number, [mask, value]: readonly [number, number]): boolean {
  return (code & mask) >>> 0 === value;
}

/** Whether the bytes of `code` are at `at`. */
export function startsWith(text: Uint8Array, at: number, code: readonly number[]): boolean {
  return code.every((byte, i) => text[at + i] === byte);
}
