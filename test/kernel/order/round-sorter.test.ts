import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RoundSorter } from '../../../src/kernel/order/round-sorter.ts';

/** Feeds `1 3 | 2 4` (times, rounds apart) and tells what came out after each round and the end. */
function sort(drawing: string): string {
  const delivered: string[] = [];
  const batches: string[] = [];
  const times: string[] = [];
  const sorter = new RoundSorter((position) => delivered.push(times[position]));
  const closeBatch = () => batches.push(delivered.splice(0).join(' '));
  for (const token of drawing.split(/\s+/)) {
    if (token === '|') {
      sorter.finishRound();
      closeBatch();
      continue;
    }
    times.push(token);
    sorter.push(Number.parseFloat(token), times.length - 1);
  }
  sorter.finish();
  closeBatch();
  return batches.join(' | ');
}

describe('round sorter', () => {
  test('the end of a round releases what is not later than the round before it', () => {
    // The example of perf's own description of FINISHED_ROUND: each ring is one run.
    expect(sort('1 2 4 3 5 | 3.5 6 5.5 7 | 6.5 8 |')).toBe(' | 1 2 3 3.5 4 5 | 5.5 6 6.5 7 | 8');
  });

  test('the share that has gone out is known in the middle of a release', () => {
    const shares: number[] = [];
    const report = () => shares.push(sorter.releasedShare);
    const sorter: RoundSorter = new RoundSorter(() => {}, report);
    expect(sorter.releasedShare).toBe(1);
    for (let time = 0; time < 2 ** 15; time++) sorter.push(time, time);
    expect(sorter.releasedShare).toBe(0);
    sorter.finish();
    sorter.push(2 ** 15, 0);
    // Blocks of 8 192 records.
    expect(shares).toEqual([1 / 4, 2 / 4, 3 / 4, 1]);
    expect(sorter.releasedShare).toBe(2 ** 15 / (2 ** 15 + 1));
  });

  test('everything is sorted at the end where there are no rounds', () => {
    expect(sort('5 6 7 1 2 3 4')).toBe('1 2 3 4 5 6 7');
  });

  test('records of equal times keep the order of the file', () => {
    expect(sort('2a 2b 1a 2c 1b | 2d 1c | ')).toBe(' | 1a 1b 1c 2a 2b 2c 2d | ');
  });

  test('records without a time go out at once', () => {
    expect(sort('2 NaN 1 | NaN 3 |')).toBe('NaN | NaN 1 2 | 3');
  });

  test('empty rounds and an empty recording are fine', () => {
    expect(sort('| | 1 | | |')).toBe(' |  |  | 1 |  | ');
    let delivered = 0;
    const sorter = new RoundSorter(() => delivered++);
    sorter.finishRound();
    sorter.finish();
    expect(delivered).toBe(0);
  });

  test('a record that breaks the promise of its round is delivered with the next round', () => {
    const out: number[] = [];
    const sorter = new RoundSorter((position) => out.push(position));
    for (const time of [10, 20]) sorter.push(time, time);
    sorter.finishRound();
    sorter.push(30, 30);
    sorter.finishRound();
    expect(out).toEqual([10, 20]);
    sorter.push(15, 15);
    sorter.push(25, 25);
    sorter.finish();
    expect(out).toEqual([10, 20, 15, 25, 30]);
  });

  test('long rounds that overlap merge again and again, in columns that grow', () => {
    const ROUNDS = 4;
    const RINGS = 3;
    const RECORDS = 2000;
    const out: number[] = [];
    const sorter = new RoundSorter((position) => out.push(position));
    const pushed: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (let ring = 0; ring < RINGS; ring++) {
        // A ring that is drained later reaches further into the time of the next round.
        const first = round * RECORDS * RINGS + (ring * RECORDS) / 2;
        for (let i = 0; i < RECORDS; i++) {
          const time = first + i * RINGS;
          pushed.push(time);
          sorter.push(time, time);
        }
      }
      sorter.finishRound();
    }
    sorter.finish();
    pushed.sort((a, b) => a - b);
    expect(out).toHaveLength(pushed.length);
    expect(out.findIndex((time, i) => time !== pushed[i])).toBe(-1);
  });

  test('nothing is lost, and all is in order for rings drained in rounds', () => {
    // Rings fill in parallel; at random instants all of them are drained, one after the other,
    // while the later ones go on filling.
    const recording = fc.record({
      rings: fc.integer({ min: 1, max: 6 }),
      events: fc.array(fc.tuple(fc.nat(5), fc.nat(3), fc.boolean()), { maxLength: 400 }),
    });
    fc.assert(
      fc.property(recording, ({ rings, events }) => {
        const pending: number[][] = Array.from({ length: rings }, () => []);
        const written: number[] = [];
        const out: number[] = [];
        const sorter = new RoundSorter((position) => out.push(written[position]));
        let now = 0;
        const drain = (ring: number) => {
          for (const time of pending[ring].splice(0)) {
            written.push(time);
            sorter.push(time, written.length - 1);
          }
        };
        for (const [ring, step, isDrain] of events) {
          now += step;
          pending[ring % rings].push(now);
          if (!isDrain) continue;
          for (let drained = 0; drained < rings; drained++) {
            drain(drained);
            // Meanwhile the ring after it receives another record.
            now += 1;
            pending[(drained + 1) % rings].push(now);
          }
          sorter.finishRound();
        }
        for (let ring = 0; ring < rings; ring++) drain(ring);
        sorter.finish();
        expect(out).toEqual([...written].sort((a, b) => a - b));
        expect(sorter.pending).toBe(0);
      }),
    );
  });

  test('any input comes out as a stable sort, long runs and short ones', () => {
    const times = fc.array(fc.oneof(fc.nat(20), fc.integer({ min: -1000, max: 1000 })), {
      maxLength: 3000,
      size: 'max',
    });
    fc.assert(
      fc.property(times, (input) => {
        const out: number[] = [];
        const sorter = new RoundSorter((position) => out.push(position));
        input.forEach((time, position) => {
          sorter.push(time, position);
        });
        sorter.finish();
        const expected = input.map((_, position) => position);
        expected.sort((a, b) => input[a] - input[b] || a - b);
        expect(out).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});
