import { expect, test } from 'vitest';
import { measureOverhead, subtractOverhead } from '../../../src/counting/count/overhead.ts';
import { measureRepeated } from '../../../src/counting/count/repeat.ts';
import { drawnGroup } from './drawn-counters.ts';

test('the warm-up is not counted, and counts are per call', () => {
  const { group, counters } = drawnGroup(['faults']);
  let calls = 0;
  const repeated = measureRepeated(
    group,
    () => {
      calls++;
      // The first four calls are dear.
      counters.happen({ values: [calls <= 4 ? 1000 : calls <= 14 ? 2 : 4], enabledNs: 10 });
      return calls;
    },
    { warmUp: 4, runs: 2, calls: 10 },
  );
  expect(calls).toBe(24);
  expect(repeated.value).toBe(24);
  expect(repeated.shared).toBe(false);
  expect(repeated.perCall.faults).toMatchObject({ mean: 3, median: 3, min: 2, max: 4, runs: 2 });
  expect(repeated.readings.map(({ counts }) => counts.faults)).toEqual([20n, 40n]);
});

test('an asynchronous function is awaited call by call', async () => {
  const { group, counters } = drawnGroup(['faults']);
  let running = 0;
  const repeated = await measureRepeated(
    group,
    async () => {
      expect(++running).toBe(1);
      await Promise.resolve();
      counters.happen({ values: [6], enabledNs: 10 });
      running--;
      return 'done';
    },
    { warmUp: 2, runs: 3, calls: 2 },
  );
  expect(repeated.perCall.faults).toMatchObject({ mean: 6, stddev: 0, runs: 3 });
  expect(repeated.shared).toBe(true);
  expect(repeated.value).toBe('done');
});

test('an event that was never counted has no spread', () => {
  const { group, counters } = drawnGroup(['faults']);
  const repeated = measureRepeated(group, () =>
    counters.happen({ values: [0], enabledNs: 10, runningNs: 0 }),
  );
  expect(repeated.perCall.faults).toBeNull();
});

test('numbers of runs are checked', () => {
  const { group } = drawnGroup(['faults']);
  expect(() => measureRepeated(group, () => {}, { runs: 0 })).toThrow('runs 0: expected');
  expect(() => measureRepeated(group, () => {}, { calls: 1.5 })).toThrow('calls 1.5: expected');
});

test('measureOverhead measures its own cost, and subtractOverhead removes it', () => {
  const { group, counters } = drawnGroup(['instructions']);
  counters.costOfPair = { values: [40], enabledNs: 400 };
  counters.costOfRead = { values: [25], enabledNs: 300 };
  const overhead = measureOverhead(group, { rounds: 5, warmUp: 1 });
  expect(overhead).toEqual({
    pair: { instructions: 40n },
    pairNs: 400,
    read: { instructions: 25n },
    readNs: 300,
  });
  const measured = group.measure(() => counters.happen({ values: [1000], enabledNs: 50 }));
  expect(measured.counts.instructions).toBe(1040n);
  expect(subtractOverhead(measured, overhead.pair)).toEqual({ instructions: 1000n });
  const empty = group.measure(() => {});
  expect(subtractOverhead(empty, { instructions: 41n })).toEqual({ instructions: 0n });
});
