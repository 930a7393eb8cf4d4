import { expect, test } from 'vitest';
import { narrowPage } from '../../../src/formats/export/narrow-page.ts';
import type { PageProfile } from '../../../src/formats/export/page-profile.ts';
import { pageOf } from '../../helpers/page-of.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

/** Every column different from the others, and in every row. */
function wholePage(): PageProfile {
  const page = pageOf(profileFromText('main  main  main  main'));
  const numbered = (column: number) => [0, 1, 2, 3].map((row) => 10 * column + row);
  const samples = {
    length: 4,
    stack: Int32Array.from(numbered(1)),
    thread: Int32Array.from(numbered(2)),
    comm: Int32Array.from(numbered(3)),
    event: Int32Array.from(numbered(4)),
    stream: Int32Array.from(numbered(5)),
    cpu: Int32Array.from(numbered(6)),
    timeNs: Float64Array.from(numbered(7)),
    periodEvents: Float64Array.from(numbered(8)),
    count: Float64Array.from(numbered(9)),
  };
  const runningNs = Float64Array.from(numbered(10));
  const values = Float64Array.from(numbered(11));
  const lostBefore = Float64Array.from(numbered(12));
  return {
    ...page,
    profile: { ...page.profile, samples },
    weights: {
      samples: { kind: 'samples', unit: 'samples', values },
      events: { kind: 'events', unit: 'events', values, lostBefore },
    },
    periodInput: { ...page.periodInput, samples: { ...samples, runningNs } },
  };
}

test('every column keeps the chosen rows, and only those', () => {
  const page = wholePage();
  const { profile, weights, periodInput, isPart } = narrowPage(page, Int32Array.of(1, 3));
  expect(isPart).toBe(true);
  const rows = (column: number) => [10 * column + 1, 10 * column + 3];
  const samples = {
    length: 2,
    stack: Int32Array.from(rows(1)),
    thread: Int32Array.from(rows(2)),
    comm: Int32Array.from(rows(3)),
    event: Int32Array.from(rows(4)),
    stream: Int32Array.from(rows(5)),
    cpu: Int32Array.from(rows(6)),
    timeNs: Float64Array.from(rows(7)),
    periodEvents: Float64Array.from(rows(8)),
    count: Float64Array.from(rows(9)),
  };
  const values = Float64Array.from(rows(11));
  const lostBefore = Float64Array.from(rows(12));
  expect(profile.samples).toEqual(samples);
  expect(periodInput.samples).toEqual({ ...samples, runningNs: Float64Array.from(rows(10)) });
  expect(weights).toEqual({
    samples: { kind: 'samples', unit: 'samples', values },
    events: { kind: 'events', unit: 'events', values, lostBefore },
  });
});

test('a page of which nothing is left out stays the same object', () => {
  const page = wholePage();
  expect(narrowPage(page, Int32Array.of(0, 1, 2, 3))).toBe(page);
});
