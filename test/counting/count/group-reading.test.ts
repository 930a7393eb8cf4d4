import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countNumbers, readingOf } from '../../../src/counting/count/group-reading.ts';
import { scaleCount } from '../../../src/counting/count/scale-count.ts';

test('a count is scaled by enabled over running, to the nearest event', () => {
  expect(scaleCount(100n, 1000n, 1000n)).toBe(100n);
  expect(scaleCount(100n, 1000n, 500n)).toBe(200n);
  expect(scaleCount(100n, 1000n, 300n)).toBe(333n);
  expect(scaleCount(200n, 1000n, 300n)).toBe(667n);
  expect(scaleCount(1n, 3n, 2n)).toBe(2n);
});

test('an event that never ran is null, not 0', () => {
  expect(scaleCount(0n, 1000n, 0n)).toBeNull();
  expect(readingOf(['a'], { values: [0n], enabledNs: 1000n, runningNs: 0n })).toEqual({
    counts: { a: null },
    raw: { a: null },
    scaled: false,
    runningShare: 0,
    enabledNs: 1000,
    runningNs: 0,
  });
});

test('an event that was never enabled has no share', () => {
  const reading = readingOf(['a'], { values: [0n], enabledNs: 0n, runningNs: 0n });
  expect(reading.runningShare).toBeNull();
  expect(reading.counts.a).toBeNull();
});

test('scaling keeps within half an event of the exact quotient', () => {
  const u48 = fc.bigInt(0n, 2n ** 48n);
  fc.assert(
    fc.property(u48, u48, fc.bigInt(1n, 2n ** 48n), (value, more, running) => {
      const enabled = running + more;
      const scaled = scaleCount(value, enabled, running) as bigint;
      const twiceOff = 2n * (scaled * running - value * enabled);
      expect(twiceOff <= running && -twiceOff <= running).toBe(true);
    }),
  );
});

test('a key may be any name', () => {
  const { counts } = readingOf(['__proto__', '0'], {
    values: [1n, 2n],
    enabledNs: 1n,
    runningNs: 1n,
  });
  expect(Object.entries(counts)).toEqual([
    ['0', 2n],
    ['__proto__', 1n],
  ]);
});

test('countNumbers keeps null for uncounted events', () => {
  expect(countNumbers({ a: 5n, b: null })).toEqual({ a: 5, b: null });
});
