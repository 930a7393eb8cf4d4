// Hot: once per line of a symbol list.

const TWO_32 = 2 ** 32;
const MAX_DIGITS = 16;

/**
 * Reads hexadecimal fields out of text without making strings. One instance serves a whole file:
 * the result of `read` is in the fields until the next call.
 */
export class HexField {
  /** First byte after the digits. */
  end = 0;
  /** The number in signed address form (kernel addresses negative); NaN without digits. */
  value = Number.NaN;

  /** Reads the digits at `at`, after a `0x` if there is one. False if there are none or over 16. */
  read(bytes: Uint8Array, at: number, limit: number): boolean {
    let i = at;
    if (bytes[i] === 0x30 && (bytes[i + 1] | 0x20) === 0x78) i += 2;
    const first = i;
    let high = 0;
    let low = 0;
    for (; i < limit; i++) {
      const digit = hexDigit(bytes[i]);
      if (digit < 0) break;
      high = (high << 4) | (low >>> 28) | 0;
      low = (low << 4) | digit;
    }
    this.end = i;
    const isNumber = i > first && i - first <= MAX_DIGITS;
    this.value = isNumber ? high * TWO_32 + (low >>> 0) : Number.NaN;
    return isNumber;
  }
}

/** Value of an ASCII hex digit, −1 for any other byte. */
function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
