/** Numbers in [0, 1), as `seededRandom` makes them. */
export type Random = () => number;

/** A whole number in [0, count). */
export function below(random: Random, count: number): number {
  return Math.floor(random() * count);
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[below(random, items.length)];
}

/** What breaks arithmetic: borders of widths and signs, and what doubles can't tell apart. */
const WORDS: readonly bigint[] = [
  0n,
  1n,
  2n,
  7n,
  8n,
  0x7fn,
  0x80n,
  0xffn,
  0x7fffn,
  0x8000n,
  0xffffn,
  0x10000n,
  0x7fffffffn,
  0x80000000n,
  0xfffffff8n,
  0xffffffffn,
  0x100000000n,
  (1n << 53n) - 1n,
  1n << 53n,
  (1n << 63n) - 1n,
  1n << 63n,
  (1n << 64n) - 8n,
  (1n << 64n) - 1n,
];

/** What text is made of that means something to a terminal, a page, a shell or a parser. */
const TEXTS: readonly string[] = [
  '\x1b]0;pwned\x07',
  '\x1b[2J',
  '<img src=x onerror=alert(1)>',
  '</script>',
  '\u202e',
  '\x9b31m',
  '../../../../etc/passwd',
  '__proto__',
  'constructor',
  '%s%n%*d',
  '\0',
  '\n',
  '"\\',
];

/** Where a change falls; both in bytes. */
export type Region = { readonly offset: number; readonly size: number };

/** A word at `at` that is extreme, points at itself or at the end, or is off by a little. */
export function putWord(
  bytes: Uint8Array,
  at: number,
  width: 1 | 2 | 4 | 8,
  random: Random,
  littleEndian = random() < 0.8,
): void {
  if (at < 0 || at + width > bytes.length) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const old = readWord(view, at, width, littleEndian);
  const value = newWord(bytes.length, at, old, random);
  if (width === 1) view.setUint8(at, Number(BigInt.asUintN(8, value)));
  else if (width === 2) view.setUint16(at, Number(BigInt.asUintN(16, value)), littleEndian);
  else if (width === 4) view.setUint32(at, Number(BigInt.asUintN(32, value)), littleEndian);
  else view.setBigUint64(at, BigInt.asUintN(64, value), littleEndian);
}

function readWord(view: DataView, at: number, width: number, littleEndian: boolean): bigint {
  if (width === 1) return BigInt(view.getUint8(at));
  if (width === 2) return BigInt(view.getUint16(at, littleEndian));
  if (width === 4) return BigInt(view.getUint32(at, littleEndian));
  return view.getBigUint64(at, littleEndian);
}

function newWord(size: number, at: number, old: bigint, random: Random): bigint {
  const kind = below(random, 10);
  if (kind < 5) return pick(random, WORDS);
  if (kind === 5) return BigInt(at);
  if (kind === 6) return BigInt(size - below(random, 17));
  if (kind === 7) return BigInt(below(random, size + 1));
  if (kind === 8) return old + BigInt(below(random, 17) - 8);
  return old << BigInt(below(random, 40));
}

/**
 * `seed` with one to six changes within `region`: bits and words, bytes moved, doubled, left out or
 * put in, a piece of `other`, an early end.
 */
export function mutateBytes(
  seed: Uint8Array,
  other: Uint8Array,
  random: Random,
  region: Region = { offset: 0, size: seed.length },
): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from(seed);
  const changes = 1 + below(random, 6);
  for (let i = 0; i < changes; i++) bytes = change(bytes, other, region, random);
  return bytes;
}

function change(bytes: Uint8Array, other: Uint8Array, region: Region, random: Random): Uint8Array {
  if (bytes.length === 0) return other.slice(0, 64);
  const start = Math.min(region.offset, bytes.length - 1);
  const size = Math.max(1, Math.min(region.size, bytes.length - start));
  const at = start + below(random, size);
  const length = random() < 0.8 ? 1 + below(random, 16) : 1 + below(random, 512);
  const kind = below(random, 20);
  if (kind < 3) {
    bytes[at] = bytes[at] ^ (1 << below(random, 8));
  } else if (kind < 11) {
    const width = pick(random, [1, 2, 4, 4, 8, 8] as const);
    const isAligned = random() < 0.8;
    putWord(bytes, isAligned ? at - ((at - start) % width) : at, width, random);
  } else if (kind === 11) {
    bytes.fill(pick(random, [0, 0x7f, 0x80, 0xff]), at, at + length);
  } else if (kind === 12) {
    for (let k = at; k < Math.min(at + length, bytes.length); k++) bytes[k] = below(random, 256);
  } else if (kind === 13) {
    bytes.copyWithin(at, start + below(random, size), start + below(random, size));
  } else if (kind === 14) {
    return spliced(bytes, at, length, new Uint8Array(0));
  } else if (kind === 15) {
    return spliced(bytes, at, 0, bytes.slice(at, at + length));
  } else if (kind === 16) {
    const from = below(random, other.length);
    return spliced(bytes, at, random() < 0.5 ? length : 0, other.subarray(from, from + length));
  } else if (kind === 17) {
    const text = new TextEncoder().encode(pick(random, TEXTS));
    return random() < 0.5 ? spliced(bytes, at, text.length, text) : spliced(bytes, at, 0, text);
  } else if (kind === 18) {
    return spliced(bytes, at, 0, new Uint8Array(8 * length).fill(pick(random, [0, 0xff])));
  } else if (random() < 0.4) {
    return bytes.slice(0, at);
  }
  return bytes;
}

/** `bytes` with `length` of them at `at` replaced by `piece`. */
export function spliced(
  bytes: Uint8Array,
  at: number,
  length: number,
  piece: Uint8Array,
): Uint8Array {
  const behind = bytes.subarray(Math.min(at + length, bytes.length));
  const result = new Uint8Array(at + piece.length + behind.length);
  result.set(bytes.subarray(0, at));
  result.set(piece, at);
  result.set(behind, at + piece.length);
  return result;
}

/** A format as a mutator knows it. */
export type KnownFormat<Layout> = {
  /** Null where nothing of it is left. */
  readonly findLayout: (bytes: Uint8Array) => Layout | null;
  readonly change: (
    bytes: Uint8Array,
    layout: Layout,
    other: Uint8Array,
    random: Random,
  ) => Uint8Array;
  readonly mostChanges: number;
  /** Part of the changes that are of any bytes. */
  readonly anyBytes: number;
};

/** One change of a file of that format, or some, one after the other. */
export function mutateFormat<Layout>(
  seed: Uint8Array,
  other: Uint8Array,
  random: Random,
  { findLayout, change, mostChanges, anyBytes }: KnownFormat<Layout>,
): Uint8Array {
  let bytes: Uint8Array = Uint8Array.from(seed);
  const changes = 1 + below(random, mostChanges);
  for (let i = 0; i < changes; i++) {
    const layout = findLayout(bytes);
    if (layout === null || random() < anyBytes) return mutateBytes(bytes, other, random);
    bytes = change(bytes, layout, other, random);
  }
  return bytes;
}
