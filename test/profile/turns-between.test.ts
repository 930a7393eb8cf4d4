import { expect, test } from 'vitest';
import { Spans } from '../../src/base/spans.ts';
import { bucketOf, type TurnLoop, type TurnTable } from '../../src/profile/turn-table.ts';
import { joinTurns, type LoopWaits, turnsBetween } from '../../src/profile/turns-between.ts';

const MS = 1e6;
const LOOP: TurnLoop = { thread: 0, pid: 10, tid: 10, source: 'system calls' };

/** Waits from and to so many milliseconds. */
function waits(spans: readonly (readonly [number, number])[], lastMs = 0, loop = LOOP): LoopWaits {
  const columns = new Spans();
  for (const [from, to] of spans) columns.add(from * MS, to * MS);
  return { loop, waits: columns, lastNs: lastMs * MS };
}

/** `2–5 after 2`: turns with the waits before them, in milliseconds. */
function draw({ length, fromNs, toNs, waitedNs, isOpen }: TurnTable): string[] {
  return Array.from({ length }, (_, row) => {
    const open = isOpen[row] === 1 ? ' open' : '';
    return `${fromNs[row] / MS}–${toNs[row] / MS} after ${waitedNs[row] / MS}${open}`;
  });
}

test('a turn is all between two waits, and the last one is known until its thread was seen last', () => {
  const turns = turnsBetween([
    waits(
      [
        [0, 2],
        [5, 6],
        [16, 16],
      ],
      30,
    ),
  ]);
  expect(turns && draw(turns)).toEqual(['2–5 after 2', '6–16 after 1', '16–30 after 0 open']);
});

test('the short turns, below a millisecond, are counted by length, in a row for each second', () => {
  const spans = Array.from({ length: 5 }, (_, i) => [500 * i, 500 * i + 499.5] as const);
  const turns = turnsBetween([waits(spans)]);
  const short = turns?.short;
  expect(turns?.length).toBe(0);
  expect(short && [...short.lengthNs, ...short.waitedNs]).toEqual([
    1.5 * MS,
    0.5 * MS,
    1498.5 * MS,
    499.5 * MS,
  ]);
  expect([...(short?.counts[bucketOf(0.5 * MS)] ?? [])]).toEqual([3, 1]);
});

test('a thread that has waited once has no turn', () => {
  expect(turnsBetween([waits([[0, 2]])])).toBeNull();
});

test('a joined table has the turns of two sources, each with its loop', () => {
  const first = turnsBetween([
    waits([
      [0, 2],
      [5, 6],
    ]),
  ]);
  const other = { ...LOOP, tid: 11, source: 'waits' } as const;
  const second = turnsBetween([
    waits(
      [
        [0, 3],
        [9, 9.5],
        [10, 11],
      ],
      0,
      other,
    ),
  ]);
  const both = joinTurns(first, second);
  expect(both && draw(both)).toEqual(['2–5 after 2', '3–9 after 3']);
  expect(both && [...both.loop].map((row) => both.loops[row].tid)).toEqual([10, 11]);
  expect(both && [...both.short.loop]).toEqual([1]);
  expect(joinTurns(null, second)).toBe(second);
});
