import { describe, expect, test } from 'vitest';
import { V8TablePositions } from '../../../src/code/javascript/v8-table-positions.ts';
import { LiveCode } from '../../../src/code/jit/live-code.ts';
import { seededRandom } from '../../helpers/random.ts';

const OF_OPTIMIZED = 1;
const OF_BYTECODE = 0;

/** A record of `native/core/code_events/stream.h`: its body is numbers of 64 bits, and a name. */
function record(type: number, numbers: readonly number[], name = '', codeType = OF_OPTIMIZED) {
  const bytes = Buffer.alloc(16 + numbers.length * 8 + Math.ceil(name.length / 8) * 8);
  bytes.writeUInt32LE(bytes.length, 0);
  bytes.writeUInt16LE(type, 4);
  bytes.writeUInt16LE(codeType, 6);
  for (const [at, number] of numbers.entries()) {
    bytes.writeBigUInt64LE(BigInt(number), 16 + at * 8);
  }
  bytes.write(name, 16 + numbers.length * 8);
  return bytes;
}
const added = (start: number, length: number, name: string, codeType?: number) =>
  record(1, [start, length, name.length], name, codeType);
const moved = (from: number, length: number, to: number) => record(2, [from, length, to]);
/** Records of `stream.h` with a body of 64 and 32 bits: entries are varints of at most 127 each. */
function positions(
  start: number,
  script: number,
  entries: readonly number[],
  codeType = OF_OPTIMIZED,
) {
  const bytes = record(8, [start, 0, 0], String.fromCharCode(...entries), codeType);
  [script, 1, entries.length, entries.length].forEach((value, i) => {
    bytes.writeUInt32LE(value, 24 + 4 * i);
  });
  return bytes;
}
function lineEnds(script: number, ends: readonly number[]) {
  const bytes = record(9, [0, ends.length], String.fromCharCode(...ends));
  bytes.writeUInt32LE(script, 16);
  return bytes;
}
const removed = (start: number, length: number) => record(3, [start, length]);

const HEADER = Buffer.concat([Buffer.from('PTSCODE1'), Buffer.alloc(24)]);

function codeOf(records: readonly Buffer[], step = 1 << 20): LiveCode {
  const code = new LiveCode();
  const stream = code.stream();
  const all = Buffer.concat([HEADER, ...records]);
  for (let at = 0; at < all.length; at += step)
    expect(stream.take(all.subarray(at, at + step))).toBe(true);
  return code;
}
const nameAt = (code: LiveCode, address: number) => code.find(address)?.name ?? null;

const RECORDS = [
  added(0x1000, 0x100, 'JS:*work /a.js:1:1'),
  added(0x1100, 0x10, 'JS:~rest /a.js:9:1'),
  added(0x5000, 0x10, 'JS:~bytes /a.js:1:1', OF_BYTECODE),
  moved(0x1000, 0x100, 0x3000),
  added(0x1000, 0x20, 'JS:^other /b.js:1:1'),
];

describe('code that a process announces', () => {
  test.each([1, 7, 40, 1 << 20])('live code is what is there now, in pieces of %i B', (step) => {
    const code = codeOf(RECORDS, step);
    expect(nameAt(code, 0x3000)).toBe('JS:*work /a.js:1:1');
    expect(nameAt(code, 0x30ff)).toBe('JS:*work /a.js:1:1');
    expect(nameAt(code, 0x3100)).toBe(null);
    expect(nameAt(code, 0x101f)).toBe('JS:^other /b.js:1:1');
    expect(nameAt(code, 0x1020)).toBe(null);
    expect(nameAt(code, 0x1105)).toBe('JS:~rest /a.js:9:1');
    expect(nameAt(code, 0x5000)).toBe(null);
    expect(nameAt(code, 0)).toBe(null);
  });

  test('live code is gone when it is removed, and each change shows', () => {
    const code = codeOf(RECORDS);
    const { version } = code;
    const stream = code.stream();
    stream.take(Buffer.concat([HEADER, removed(0x3000, 0x100)]));
    expect(code.version).toBeGreaterThan(version);
    expect(nameAt(code, 0x3000)).toBe(null);
    // Another isolate of the process has code of its own.
    expect(nameAt(code, 0x1000)).toBe('JS:^other /b.js:1:1');
  });

  test('a stream of live code makes no sense where sizes contradict each other, and what came before stays', () => {
    const bad = added(0x9000, 0x10, 'name');
    bad.writeBigUInt64LE(1n << 40n, 32);
    for (const damaged of [bad, Buffer.alloc(16), Buffer.alloc(16, 0xff)]) {
      const code = new LiveCode();
      expect(code.stream().take(Buffer.concat([HEADER, RECORDS[0], damaged]))).toBe(false);
      expect(nameAt(code, 0x1000)).toBe('JS:*work /a.js:1:1');
    }
    expect(
      new LiveCode().stream().take(Buffer.from('GET / HTTP/1.1\r\nHost: perf-ts.example\r\n\r\n')),
    ).toBe(false);
  });

  test('live code is bounded in bytes: the oldest is forgotten, and no longer name than a sender has is taken', () => {
    const code = new LiveCode();
    const stream = code.stream();
    stream.take(HEADER);
    const name = 'a'.repeat(64 << 10);
    for (let i = 0; i < 400; i++)
      expect(stream.take(added(0x1000 + i * 0x100, 0x10, name))).toBe(true);
    expect(code.bytes).toBeLessThanOrEqual(16 << 20);
    expect(nameAt(code, 0x1000)).toBe(null);
    expect(nameAt(code, 0x1000 + 399 * 0x100)).toBe(name);
    expect(stream.take(added(0x1000, 0x10, `${name}b`))).toBe(false);
  });

  test('live code is what a map by address would have, however much comes, moves and goes', () => {
    const random = seededRandom(7);
    const below = (most: number) => Math.floor(random() * most);
    const code = new LiveCode();
    const stream = code.stream();
    stream.take(HEADER);
    const expected = new Map<number, string>();
    for (let i = 0; i < 60_000; i++) {
      const start = 0x1000 + below(500) * 0x100;
      const other = 0x1000 + below(500) * 0x100;
      const action = below(4);
      const name = expected.get(start);
      if (action === 0) {
        stream.take(removed(start, 0x10));
        expected.delete(start);
      } else if (action === 1) {
        stream.take(moved(start, 0x10, other));
        expected.delete(start);
        if (name !== undefined) expected.set(other, name);
      } else {
        const text = `${i}${'n'.repeat(below(i % 100 === 0 ? 60_000 : 60))}`;
        stream.take(added(start, 0x10, text));
        expected.set(start, text);
      }
    }
    const found = Array.from({ length: 500 }, (_, i) => nameAt(code, 0x1000 + i * 0x100));
    expect(found).toEqual(
      Array.from({ length: 500 }, (_, i) => expected.get(0x1000 + i * 0x100) ?? null),
    );
  });

  test('a stream of live code holds no more than what has come of the record that it waits for', () => {
    const code = new LiveCode();
    const streams = Array.from({ length: 512 }, () => code.stream());
    const heldBytes = () => streams.reduce((sum, stream) => sum + stream.heldBytes, 0);
    for (const stream of streams) stream.take(HEADER);
    expect(heldBytes()).toBeLessThan(512 << 10);
    const long = added(0x1000, 0x10, 'a'.repeat(60 << 10));
    for (const stream of streams) stream.take(long.subarray(0, 100));
    expect(heldBytes()).toBeLessThan(512 << 10);
    for (const stream of streams) stream.take(long.subarray(100, -1));
    expect(heldBytes()).toBeGreaterThanOrEqual(512 * (long.length - 1));
    for (const stream of streams) stream.take(Buffer.concat([long.subarray(-1), RECORDS[0]]));
    expect(heldBytes()).toBeLessThan(512 << 10);
    expect(nameAt(code, 0x1000)).toBe('JS:*work /a.js:1:1');
  });

  test('a stream of live code passes long records of other kinds over, however they are cut', () => {
    const note = record(7, [], 'x'.repeat(3 << 20));
    expect(nameAt(codeOf([note, RECORDS[1], note, RECORDS[0]], 1000), 0x1000)).toBe(
      'JS:*work /a.js:1:1',
    );
  });

  /** `leaf` has the positions 10 and 12, and is inlined as call 0 of `outer`, whose own is 45. */
  const INLINED = [
    lineEnds(7, [20, 20, 20]),
    added(0x9000, 0x10, 'JS:~leaf /a.js:1:11', OF_BYTECODE),
    positions(0x9000, 7, [0, 20, 4, 4], OF_BYTECODE),
    added(0x9100, 0x10, 'JS:~outer /a.js:3:1', OF_BYTECODE),
    positions(0x9100, 7, [0, 90], OF_BYTECODE),
    added(0x1000, 0x100, 'JS:*outer /a.js:3:1'),
    positions(0x1000, 7, [0, 90, 33, 1, 69, 32, 4, 33, 0, 66]),
  ];
  const placesOf = (code: LiveCode, start: number, ...offsets: number[]) => {
    const found = new V8TablePositions(code);
    const row = code.rowAt(start);
    found.prepare(code.hasPositions(row) ? [row] : []);
    return offsets.map((offset) => {
      const place = code.hasPositions(row) ? found.find(row, offset) : null;
      return place && `${place.inlined ?? 'own'} ${place.file}:${place.line}:${place.column}`;
    });
  };
  const PLACES = [
    'own /a.js:3:5',
    'JS:*leaf /a.js:1:11 /a.js:1:11',
    'JS:*leaf /a.js:1:11 /a.js:1:13',
    'own /a.js:3:5',
  ];

  test.each([1, 7, 1 << 20])(
    'live code has its places in scripts and the functions inlined there, in pieces of %i B',
    (step) => {
      const code = codeOf([...INLINED, moved(0x1000, 0x100, 0x4000)], step);
      expect(placesOf(code, 0x4000, 0, 16, 32, 48)).toEqual(PLACES);
      // Another isolate has scripts of its own.
      const stream = code.stream();
      stream.take(Buffer.concat([HEADER, added(0x2000, 0x100, 'JS:*outer /a.js:3:1')]));
      stream.take(positions(0x2000, 7, [0, 90]));
      expect(placesOf(code, 0x2000, 0)).toEqual([null]);
    },
  );

  test('places of live code stay with it, however much comes and goes between, and from another isolate', () => {
    const code = new LiveCode();
    const [stream, other] = [code.stream(), code.stream()];
    for (const each of [stream, other]) each.take(HEADER);
    stream.take(Buffer.concat(INLINED.slice(0, -1)));
    other.take(added(0x7000, 0x10, 'JS:*other /b.js:1:1'));
    stream.take(INLINED[INLINED.length - 1]);
    for (let i = 0; i < 20_000; i++) {
      const start = 0x100000 + (i % 100) * 0x100;
      other.take(added(start, 0x10, `JS:*f${i} /b.js:1:1`));
      other.take(positions(start, 7, [0, 2, 4, 4]));
    }
    expect(code.numbering).toBeGreaterThan(0);
    expect(placesOf(code, 0x1000, 0, 16, 32, 48)).toEqual(PLACES);
    expect(code.bytes).toBeLessThan(100_000);
  });

  test('live code without its positions keeps the names, and takes no more of them', () => {
    const code = codeOf(INLINED);
    const { bytes } = code;
    expect([code.dropPositions(), code.dropPositions()]).toEqual([true, false]);
    expect(code.bytes).toBeLessThan(bytes / 2);
    const stream = code.stream();
    stream.take(Buffer.concat([HEADER, ...INLINED.slice(0, -2), added(0x2000, 0x10, 'b')]));
    expect(nameAt(code, 0x1000)).toBe('JS:*outer /a.js:3:1');
    expect(placesOf(code, 0x1000, 0)).toEqual([null]);
    expect(code.length).toBe(2);
  });
});
