import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countBefore, firstNotBelow, lastAtMost, lastOffsetAtMost } from '../../src/base/bisect.ts';

//                            0   1   2   3   4
const VALUES = Float64Array.of(-8, 10, 10, 10, 2 ** 47);

describe('firstNotBelow', () => {
  it.each([
    [-9, 0],
    [-8, 0],
    [-7, 1],
    [10, 1],
    [11, 4],
    [2 ** 47, 4],
    [2 ** 47 + 1, 5],
  ])('finds for %d the index %d', (limit, index) => {
    expect(firstNotBelow(VALUES, limit)).toBe(index);
  });
});

describe('lastAtMost', () => {
  it.each([
    [-9, -1],
    [-8, 0],
    [9, 0],
    [10, 3],
    [11, 3],
    [2 ** 47 + 1, 4],
  ])('finds for %d the index %d', (value, index) => {
    expect(lastAtMost(VALUES, value)).toBe(index);
  });

  it('lastAtMost ignores entries beyond the given length', () => {
    expect(lastAtMost(VALUES, 10, 2)).toBe(1);
    expect(lastAtMost(VALUES, 10, 0)).toBe(-1);
  });
});

it('firstNotBelow and lastAtMost agree with a linear search', () => {
  const ascending = fc
    .array(fc.integer({ min: -20, max: 20 }))
    .map((values) => Float64Array.from(values).sort());
  fc.assert(
    fc.property(ascending, fc.integer({ min: -21, max: 21 }), (values, wanted) => {
      const above = values.findIndex((value) => value >= wanted);
      expect(firstNotBelow(values, wanted)).toBe(above < 0 ? values.length : above);
      expect(lastAtMost(values, wanted)).toBe(values.findLastIndex((value) => value <= wanted));
    }),
  );
});

describe('lastOffsetAtMost and countBefore', () => {
  const offsets = fc.array(fc.nat(40), { maxLength: 30 }).map((all) => all.sort((a, b) => a - b));

  it('agree with lastAtMost, whatever the column is', () => {
    fc.assert(
      fc.property(offsets, fc.nat(41), (all, value) => {
        const row = lastAtMost(Float64Array.from(all), value);
        expect(lastOffsetAtMost(Uint32Array.from(all), value)).toBe(row);
        expect(countBefore(all.length, (at) => all[at] <= value) - 1).toBe(row);
      }),
    );
  });

  it('lastOffsetAtMost looks at the rows that it is asked to only', () => {
    const column = Uint32Array.of(7, 9, 0, 4, 8, 1);
    expect(lastOffsetAtMost(column, 5, 2, 5)).toBe(3);
    expect(lastOffsetAtMost(column, 9, 2, 5)).toBe(4);
    expect(lastOffsetAtMost(Uint32Array.of(7, 9, 3, 4), 2, 2, 4)).toBe(1);
  });
});
