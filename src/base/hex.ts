/** Lower-case hex digits of `bytes`. */
export function toHex(bytes: Uint8Array): string {
  let digits = '';
  for (let i = 0; i < bytes.length; i++) {
    digits += bytes[i].toString(16).padStart(2, '0');
  }
  return digits;
}

/** The bytes written as `digits`; null if that is not an even number of hex digits. */
export function fromHex(digits: string): Uint8Array | null {
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) return null;
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    bytes[i] = Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16);
  }
  return bytes;
}
