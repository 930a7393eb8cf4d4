import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { selectSamples } from '../../src/profile/analysis/select/filter.ts';
import type { ShareEstimator } from '../../src/profile/analysis/shares/share-steps.ts';
import type { Profile } from '../../src/profile/types.ts';
import { findThreads, namesakesOfThreads, reportThreads } from '../../src/questions/threads.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

const PROFILE = profileFromText(`
  tid     10    11    11    20    11
  comm    node  node  node  gzip  node
  period  4     3     4     5     0
          main  main  -     main  main
`);

function ask(profile: Profile, estimator: ShareEstimator | null = null, tids?: Set<number>) {
  const rows = finish(selectSamples(profile, tids === undefined ? {} : { tids }));
  return { profile, rows, weights: simpleWeights(profile, 'period'), estimator };
}

test('threads are heaviest first, with samples that have no stack or no weight', () => {
  const rows = finish(findThreads(ask(PROFILE)));
  expect(
    rows.map(({ thread, weight, samples, share }) => [
      PROFILE.threads[thread].tid,
      weight,
      samples,
      share,
    ]),
  ).toEqual([
    [11, 7, 3, 7 / 16],
    [20, 5, 1, 5 / 16],
    [10, 4, 1, 4 / 16],
  ]);
});

test('a number that was used again, or that called exec, is one row where its name is one', () => {
  const [thread] = PROFILE.threads;
  const threads = [thread, { ...thread, comm: 'sh' }, { ...thread, generation: 2 }];
  expect([...namesakesOfThreads(threads)]).toEqual([0, 1, 0]);
  const samples = { ...PROFILE.samples, thread: Int32Array.of(0, 1, 2, 2, 0) };
  const rows = finish(findThreads(ask({ ...PROFILE, threads, samples })));
  expect(rows.map((row) => [row.thread, row.samples])).toEqual([
    [0, 4],
    [1, 1],
  ]);
});

test('names of threads have the weight of all threads that were called so', () => {
  const { byComm } = reportThreads(ask(PROFILE));
  expect(byComm.map((row) => [PROFILE.strings[row.comm], row.self, row.total])).toEqual([
    ['node', 11, 11],
    ['gzip', 5, 5],
  ]);
});

test('samples that are not selected do not widen the intervals of threads', () => {
  // Tells what a category collected, in place of an interval.
  const steps = (pairs: readonly number[][]) => ({
    length: pairs.length,
    from: Int32Array.from(pairs, ([from]) => from),
    to: Int32Array.from(pairs, ([, to]) => to),
    amount: new Float64Array(pairs.length).fill(1),
  });
  const none = steps([]);
  const near = [steps([[0, 1]]), steps([[3, 4]])];
  const collecting: ShareEstimator = {
    steps: { near, far: [], ends: none, last: none, lone: none, shift: none },
    isExact: false,
    lostBounds: { least: 1, most: 1 },
    effectiveSamples: 5,
    intervalOf: (_share, sums, key) => ({ low: 0, high: sums.near[key] }),
    intervalOfNothing: () => ({ low: 0, high: 0 }),
    errorOfDifference: () => 0,
  };
  const { byThread } = reportThreads(ask(PROFILE, collecting, new Set([11])));
  expect(byThread.map(({ selfInterval }) => selfInterval)).toEqual([{ low: 0, high: 2 }]);
});
