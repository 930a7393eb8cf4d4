import { expect, test } from 'vitest';
import { boxAt, boxBeside, depthOfBox } from '../../web/src/flame-chart/box-search.ts';
import { describeLane, describeLanesAt } from '../../web/src/tracks/lane-words.ts';
import type { ChartBoxes } from '../../web/src/worker/messages/chart-messages.ts';
import type { Lane } from '../../web/src/worker/messages/lane-messages.ts';

/**
 *     0    2    4    6    8   10
 *     0────────────  1────────      depth 0
 *     2───  3──────    4──          depth 1
 */
const BOXES = {
  starts: Int32Array.of(0, 2, 5),
  fromNs: Float64Array.of(0, 6, 0, 2, 7),
  toNs: Float64Array.of(5, 10, 1.5, 5, 8),
} as Partial<ChartBoxes> as ChartBoxes;
const WINDOW = { fromNs: 0, toNs: 10 };

test('a search by time finds the box at a moment, or the nearest one within reach', () => {
  expect(boxAt(BOXES, 0, 4, 0)).toBe(0);
  expect(boxAt(BOXES, 0, 5, 0)).toBe(-1);
  expect(boxAt(BOXES, 0, 5.2, 0.5)).toBe(0);
  expect(boxAt(BOXES, 0, 5.8, 0.5)).toBe(1);
  expect(boxAt(BOXES, 1, 1.9, 0.5)).toBe(3);
  expect(boxAt(BOXES, 1, 9.5, 0.5)).toBe(-1);
  expect([boxAt(BOXES, 2, 4, 1), boxAt(BOXES, -1, 4, 1)]).toEqual([-1, -1]);
  expect([0, 1, 2, 4].map((box) => depthOfBox(BOXES, box))).toEqual([0, 0, 1, 1]);
});

test('the cursor goes to the caller, the longest callee, and what was before and after', () => {
  const beside = (box: number) =>
    (['caller', 'callee', 'previous', 'next'] as const).map((direction) =>
      boxBeside(BOXES, box, direction, WINDOW),
    );
  expect(beside(0)).toEqual([-1, 3, -1, 1]);
  expect(beside(1)).toEqual([-1, 4, 0, -1]);
  expect(beside(3)).toEqual([0, -1, 2, 4]);
  // The part that is seen counts.
  expect(boxBeside(BOXES, 0, 'callee', { fromNs: 0, toNs: 2.5 })).toBe(2);
});

test('a lane says what it holds at a moment, and as a whole', () => {
  const item = (fromNs: number, toNs: number, name = '') => ({ fromNs, toNs, thread: 0, name });
  const gc: Lane = {
    kind: 'gc',
    title: 'GC',
    fromNs: Float64Array.of(1e6, 5e6),
    toNs: Float64Array.of(3e6, 5.5e6),
    count: Float64Array.of(1, 2),
    longest: [item(1e6, 3e6, 'mark-compact'), item(5e6, 5.3e6)],
  };
  const faults: Lane = {
    ...gc,
    kind: 'event',
    title: 'page-faults',
    toNs: gc.fromNs,
    count: Float64Array.of(1, 1),
    longest: [item(1e6, 1e6), item(5e6, 5e6)],
  };
  expect(describeLanesAt([gc, faults], 1e6, 0)).toEqual([
    'GC: 2.0 ms at 0.001000 s · mark-compact',
    'page-faults: at 0.001000 s',
  ]);
  expect(describeLanesAt([gc, faults], 5.2e6, 0)).toEqual([
    'GC: 2 drawn as one, the longest 300.0 µs at 0.005000 s',
  ]);
  expect(describeLanesAt([gc, faults], 4e6, 1e3)).toEqual([]);
  expect([gc, faults].map(describeLane)).toEqual(['GC: 3, the longest 2.0 ms', 'page-faults: 2']);
});
