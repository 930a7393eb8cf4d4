import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SLICE_ITEMS } from '../../src/base/slices.ts';
import { AmountKeeper, SHORTEST_RUN, StepParts } from '../../src/period/uncertainty/step-parts.ts';

type Step = [from: number, to: number, amount: number];

/** The rows of a stream, none of them its place in it. */
const rows = Int32Array.from({ length: 400 }, (_, k) => 7 + 3 * k);

function stepsOf(parts: StepParts): Step[] {
  return parts
    .finish()
    .flatMap(({ length, from, to, amount }) =>
      Array.from({ length }, (_, i): Step => [from[i], to[i], amount[i]]),
    );
}

test('steps come back in the order in which they were added, runs and single ones', () => {
  const step = fc.tuple(fc.nat(2000), fc.nat(2000), fc.integer({ min: 1, max: 99 }));
  const run = fc.record({
    first: fc.integer({ min: 2, max: 200 }),
    distance: fc.integer({ min: 1, max: 2 }),
    length: fc.oneof(
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(SHORTEST_RUN - 1, SHORTEST_RUN, SHORTEST_RUN + 1, 150),
    ),
    isEqual: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(fc.oneof(step, run), { maxLength: 20 }), (added) => {
      const parts = new StepParts(2);
      const keeper = new AmountKeeper();
      const scratch = new Float64Array(SLICE_ITEMS);
      const expected: Step[] = [];
      for (const item of added) {
        if (Array.isArray(item)) {
          parts.add(...(item as Step));
          expected.push(item as Step);
          continue;
        }
        const { first, distance, length, isEqual } = item;
        for (let i = 0; i < length; i++) {
          scratch[i] = isEqual ? first : i + distance;
          expected.push([rows[first + i - distance], rows[first + i], scratch[i]]);
        }
        parts.addRun(rows, first, distance, keeper.keep(scratch, length));
      }
      expect(stepsOf(parts)).toEqual(expected);
    }),
  );
});

test('equal amounts of many runs are kept once', () => {
  const keeper = new AmountKeeper();
  const scratch = new Float64Array(SLICE_ITEMS).fill(5);
  const kept = [1000, SLICE_ITEMS, 500].map((length) => keeper.keep(scratch, length));
  expect(kept.map(({ length }) => length)).toEqual([1000, SLICE_ITEMS, 500]);
  expect(new Set(kept.map(({ buffer }) => buffer)).size).toBe(1);
  scratch[999] = 6;
  expect(keeper.keep(scratch, 1000).buffer).not.toBe(kept[0].buffer);
  expect(keeper.keep(scratch, 1000)[999]).toBe(6);
});
