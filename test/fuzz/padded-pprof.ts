// A small pprof profile in which every integer takes ten bytes, so that any other fits in its place.

const PADDED_BYTES = 10;

/** `value` as a varint with as many continuation bytes as there may be. */
export function paddedVarint(value: bigint): Uint8Array {
  const bytes = new Uint8Array(PADDED_BYTES);
  let left = BigInt.asUintN(64, value);
  for (let i = 0; i < PADDED_BYTES; i++) {
    bytes[i] = Number(left & 0x7fn) | (i < PADDED_BYTES - 1 ? 0x80 : 0);
    left >>= 7n;
  }
  return bytes;
}

type Field = readonly [number: number, value: number | string | readonly Field[]];

/** The message's bytes, and where its integers and lengths are. */
function encode(message: readonly Field[]): { bytes: Uint8Array; integers: number[] } {
  const parts: Uint8Array[] = [];
  const integers: number[] = [];
  let length = 0;
  const add = (part: Uint8Array): void => {
    parts.push(part);
    length += part.length;
  };
  const addInteger = (value: number): void => {
    integers.push(length);
    add(paddedVarint(BigInt(value)));
  };
  for (const [number, value] of message) {
    add(Uint8Array.of(number * 8 + (typeof value === 'number' ? 0 : 2)));
    if (typeof value === 'number') {
      addInteger(value);
      continue;
    }
    const inner =
      typeof value === 'string'
        ? { bytes: new TextEncoder().encode(value), integers: [] }
        : encode(value);
    addInteger(inner.bytes.length);
    integers.push(...inner.integers.map((at) => length + at));
    add(inner.bytes);
  }
  return { bytes: Buffer.concat(parts), integers };
}

const STRINGS = [
  '',
  'samples',
  'count',
  'cpu',
  'nanoseconds',
  'main',
  '/srv/app.js',
  'work',
  'pid',
];

/** Two functions, one inlined into the other, two samples with two values and a label each. */
export const PADDED_PPROF = encode([
  ...[
    [1, 2],
    [3, 4],
  ].map(
    ([type, unit]): Field => [
      1,
      [
        [1, type],
        [2, unit],
      ],
    ],
  ),
  ...[1, 2].map(
    (location): Field => [
      2,
      [
        [1, location],
        [1, 1],
        [2, 3],
        [2, 3_000_000],
        [
          3,
          [
            [1, 8],
            [3, 77],
          ],
        ],
      ],
    ],
  ),
  [
    3,
    [
      [1, 1],
      [2, 0x40_0000],
      [3, 0x50_0000],
      [4, 0],
      [5, 6],
    ],
  ],
  ...[1, 2].map(
    (location): Field => [
      4,
      [
        [1, location],
        [2, 1],
        [3, 0x40_1000 + location],
        [
          4,
          [
            [1, 2],
            [2, 9],
          ],
        ],
        [
          4,
          [
            [1, 1],
            [2, 3],
          ],
        ],
      ],
    ],
  ),
  ...[5, 7].map(
    (name, i): Field => [
      5,
      [
        [1, i + 1],
        [2, name],
        [3, name],
        [4, 6],
        [5, 2],
      ],
    ],
  ),
  ...STRINGS.map((text): Field => [6, text]),
  [9, 1_700_000_000],
  [10, 2_000_000_000],
  [
    11,
    [
      [1, 3],
      [2, 4],
    ],
  ],
  [12, 10_000_000],
  [13, 5],
  [14, 3],
]);
