import { describe, expect, test } from 'vitest';
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
});
