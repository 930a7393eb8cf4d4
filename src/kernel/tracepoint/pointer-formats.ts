// How the kernel's %p extensions print bytes: Documentation/core-api/printk-formats.rst

const AF_INET = 2;
const AF_INET6 = 10;

export function hexBytes(bytes: Uint8Array, separator: string): string {
  let text = '';
  for (let i = 0; i < bytes.length; i++) {
    if (i > 0) text += separator;
    text += bytes[i].toString(16).padStart(2, '0');
  }
  return text;
}

/** `%pM` and its like: 00:15:5d:01:02:03; `m` without colons, `MF` with dashes, `MR` reversed. */
export function formatMac(bytes: Uint8Array, extension: string): string {
  const mac = extension.includes('R') ? bytes.slice(0, 6).reverse() : bytes.subarray(0, 6);
  if (extension.startsWith('m')) return hexBytes(mac, '');
  return hexBytes(mac, extension[1] === 'F' ? '-' : ':');
}

/** `%pUb` (big endian, as is), `%pUl` (first three groups reversed), capitals for capital digits. */
export function formatUuid(bytes: Uint8Array, extension: string): string {
  const kind = extension[1] ?? 'b';
  const order =
    kind.toLowerCase() === 'l'
      ? [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
      : [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
  const digits = hexBytes(
    Uint8Array.from(order, (i) => bytes[i] ?? 0),
    '',
  );
  const text = [
    digits.slice(0, 8),
    digits.slice(8, 12),
    digits.slice(12, 16),
    digits.slice(16, 20),
    digits.slice(20),
  ].join('-');
  return kind === 'B' || kind === 'L' ? text.toUpperCase() : text;
}

/** `%pI4` 127.0.0.1, `%pi4` 127.000.000.001. */
export function formatIp4(bytes: Uint8Array, padded: boolean): string {
  return Array.from(bytes.subarray(0, 4), (byte) =>
    padded ? String(byte).padStart(3, '0') : String(byte),
  ).join('.');
}

/** `%pI6` with all zeros, `%pi6` without colons, `%pI6c` in the form of RFC 5952. */
export function formatIp6(bytes: Uint8Array, extension: string): string {
  const groups: number[] = [];
  for (let i = 0; i < 16; i += 2) groups.push(((bytes[i] ?? 0) << 8) | (bytes[i + 1] ?? 0));
  if (extension.includes('c')) return compressedIp6(groups, bytes);
  return groups
    .map((group) => group.toString(16).padStart(4, '0'))
    .join(extension.startsWith('i') ? '' : ':');
}

function compressedIp6(groups: readonly number[], bytes: Uint8Array): string {
  const leading = groups.slice(0, 5).every((group) => group === 0);
  const isMapped = leading && groups[5] === 0xffff;
  // ISATAP addresses hold an IPv4 address too.
  const isIsatap = (groups[4] | 0x0200) === 0x0200 && groups[5] === 0x5efe;
  const shown = isMapped || isIsatap ? groups.slice(0, 6) : groups;
  const [gapAt, gapLength] = longestGap(shown);
  let text = '';
  for (let i = 0; i < shown.length; i++) {
    if (i === gapAt) {
      text += i === 0 ? '::' : ':';
      i += gapLength - 1;
      continue;
    }
    text += shown[i].toString(16);
    if (i < shown.length - 1) text += ':';
  }
  if (shown.length === groups.length) return text;
  return `${text}${text.endsWith(':') ? '' : ':'}${formatIp4(bytes.subarray(12, 16), false)}`;
}

/** Start and length of the first longest run of at least two zero groups; −1 if there is none. */
function longestGap(groups: readonly number[]): [start: number, length: number] {
  let best: [number, number] = [-1, 1];
  for (let i = 0; i < groups.length; ) {
    let end = i;
    while (end < groups.length && groups[end] === 0) end++;
    if (end - i > best[1]) best = [i, end - i];
    i = Math.max(end, i + 1);
  }
  return best;
}

/**
 * `%pIS…`: a `struct sockaddr`, by its family; `p` adds the port, `c` shortens IPv6.
 *
 *   struct sockaddr_in  { u16 family; be16 port; u8 addr[4]; };
 *   struct sockaddr_in6 { u16 family; be16 port; be32 flowinfo; u8 addr[16]; be32 scope_id; };
 */
export function formatSocketAddress(
  bytes: Uint8Array,
  options: string,
  littleEndian: boolean,
): string {
  if (bytes.length < 8) return '(einval)';
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const family = view.getUint16(0, littleEndian);
  const port = options.includes('p') ? `:${view.getUint16(2, false)}` : '';
  if (family === AF_INET) return `${formatIp4(bytes.subarray(4, 8), false)}${port}`;
  if (family === AF_INET6 && bytes.length >= 24) {
    const address = formatIp6(bytes.subarray(8, 24), options.includes('c') ? 'I6c' : 'I6');
    return port === '' ? address : `[${address}]${port}`;
  }
  return '(einval)';
}

/** `%*pb`: a bitmap of longs in hex, the highest 32 bits first, all digits: `ff,ffffffff`. */
export function formatBitmap(
  bytes: Uint8Array,
  bits: number,
  longSize: number,
  littleEndian: boolean,
): string {
  const words: string[] = [];
  for (let low = 0; low < bits; low += 32) {
    let word = 0;
    for (let bit = 31; bit >= 0; bit--) {
      word = word * 2 + (hasBit(bytes, low + bit, bits, longSize, littleEndian) ? 1 : 0);
    }
    const digits = Math.ceil(Math.min(32, bits - low) / 4);
    words.push(word.toString(16).padStart(digits, '0'));
  }
  return words.reverse().join(',');
}

/** `%*pbl`: the bits that are set, as ranges: `0-3,8`. */
export function formatBitList(
  bytes: Uint8Array,
  bits: number,
  longSize: number,
  littleEndian: boolean,
): string {
  const ranges: string[] = [];
  for (let bit = 0; bit < bits; bit++) {
    if (!hasBit(bytes, bit, bits, longSize, littleEndian)) continue;
    let last = bit;
    while (hasBit(bytes, last + 1, bits, longSize, littleEndian)) last++;
    ranges.push(bit === last ? `${bit}` : `${bit}-${last}`);
    bit = last;
  }
  return ranges.join(',');
}

/** Bit numbers count within longs of the recorded machine's byte order. */
function hasBit(
  bytes: Uint8Array,
  bit: number,
  bits: number,
  longSize: number,
  littleEndian: boolean,
): boolean {
  if (bit >= bits) return false;
  const byte = bit >> 3;
  const inLong = byte % longSize;
  const at = littleEndian ? byte : byte - inLong + (longSize - 1 - inLong);
  return (((bytes[at] ?? 0) >> (bit & 7)) & 1) === 1;
}
