import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Spans } from '../../src/base/spans.ts';

function spansOf(...pairs: readonly (readonly [number, number])[]): Spans {
  const spans = new Spans();
  for (const [from, to] of pairs) spans.add(from, to);
  return spans;
}

function partsOf(spans: Spans, from: number, to: number): [number, number][] {
  const parts: [number, number][] = [];
  spans.eachPart(from, to, (begin, end) => parts.push([begin, end]));
  return parts;
}

test('spans that meet or overlap are one, and one inside of another changes nothing', () => {
  const spans = spansOf([0, 10], [10, 12], [11, 20], [13, 15], [21, 22]);
  expect([...spans.from.finish()]).toEqual([0, 21]);
  expect([...spans.to.finish()]).toEqual([20, 22]);
});

test('a span is cut by those that it reaches into', () => {
  //       0  ├────────┤     20 ├────┤ 30 ├────┤
  const spans = spansOf([0, 10], [20, 25], [30, 35]);
  expect(partsOf(spans, 5, 32)).toEqual([
    [5, 10],
    [20, 25],
    [30, 32],
  ]);
  expect(partsOf(spans, 10, 20)).toEqual([]);
  expect(partsOf(spans, 36, 40)).toEqual([]);
  expect([spans.has(20, 25), spans.has(20, 26), spans.has(-1, 0), spans.has(12, 13)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});

test('whatever the spans are, a point is in them exactly if one of those given has it', () => {
  const pair = fc.tuple(fc.nat(40), fc.integer({ min: 1, max: 8 }));
  fc.assert(
    fc.property(fc.array(pair, { maxLength: 20 }), fc.nat(50), (given, point) => {
      given.sort((a, b) => a[0] - b[0]);
      const spans = spansOf(...given.map(([from, size]) => [from, from + size] as const));
      const isIn = given.some(([from, size]) => from <= point && point < from + size);
      expect(spans.has(point, point + 1)).toBe(isIn);
      expect(partsOf(spans, point, point + 1)).toEqual(isIn ? [[point, point + 1]] : []);
    }),
  );
});
