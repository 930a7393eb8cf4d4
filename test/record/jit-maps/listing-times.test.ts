import { expect, test } from 'vitest';
import { ListingTimes } from '../../../src/record/jit-maps/listing-times.ts';

/** The times, of one look each 200 ms, at which processes are listed. */
function listedAt(newestPidAt: (ms: number) => number | null, endMs: number): number[] {
  const times = new ListingTimes();
  const listed: number[] = [];
  for (let ms = 0; ms < endMs; ms += 200) if (times.isDue(ms, newestPidAt(ms))) listed.push(ms);
  return listed;
}

test('processes are listed at each look for a second after the start, and then every two', () => {
  expect(listedAt(() => 7, 6000)).toEqual([0, 200, 400, 600, 800, 2800, 4800]);
});

test('a new process is looked for at once and for a second on', () => {
  const listed = listedAt((ms) => (ms < 1800 ? 7 : 8), 5000);
  expect(listed.filter((ms) => ms > 1000)).toEqual([1800, 2000, 2200, 2400, 2600, 4600]);
});

test('processes are listed at each look where the newest pid is not known', () => {
  expect(listedAt(() => null, 1000)).toEqual([0, 200, 400, 600, 800]);
  expect(listedAt(() => null, 4000)).toHaveLength(20);
});
