import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import type { PageProfile } from '../../src/formats/export/page-profile.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { describePageReport } from '../../src/read/outputs/describe-page-report.ts';
import type { TimeFilter, TimeGrid } from '../../web/src/worker/messages/time-messages.ts';
import { computeHeatMap } from '../../web/src/worker/time/heat-map.ts';
import { computeCells, selectTime } from '../../web/src/worker/time/time-cells.ts';
import { timeFactsOf } from '../../web/src/worker/time/time-facts.ts';
import { CORPORA, hasCorpora } from '../helpers/corpora.ts';
import { pageOf, pageOfPeriods } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

const MS = 1e6;
const ALL: TimeFilter = {
  ...{ event: 0, weight: 'samples', threads: [], pid: null, cpu: null, inTurnsOver: null },
};
/** Ten cells of a millisecond. */
const GRID: TimeGrid = { firstNs: 0, cellNs: MS, length: 10 };
const ms = (...times: number[]) => times.map((time) => time * MS);

const THREE = profileFromText(`
  tid     1     2     1
  period  10    20    30
          main  main  main
`);

function cellsOf(page: PageProfile, filter: TimeFilter, grid: TimeGrid = GRID) {
  finish(timeFactsOf(page));
  return finish(computeCells(page, filter, grid, finish(selectTime(page, filter))));
}

/** One figure a cell, `.` for nothing. */
function draw(cells: Float64Array): string {
  return Array.from(cells, (value) => (value === 0 ? '.' : Number(value.toFixed(2)))).join(' ');
}

test('samples stand in the cell of their time', () => {
  const page = pageOf(THREE, { timeNs: ms(0, 2.5, 9.99) });
  expect(draw(cellsOf(page, ALL).samples)).toBe('1 . 1 . . . . . . 1');
});

test('a weight, threads and a window are taken where they are asked for', () => {
  const page = pageOf(THREE, { timeNs: ms(0, 2.5, 9.99) });
  const filter: TimeFilter = { ...ALL, weight: 'period', threads: [0] };
  expect(draw(cellsOf(page, filter).weight)).toBe('10 . . . . . . . . 30');
  const both = { ...filter, threads: [0, 1] };
  expect(draw(cellsOf(page, both).weight)).toBe('10 . 20 . . . . . . 30');
  const late = { firstNs: 9 * MS, cellNs: MS / 2, length: 3 };
  expect(draw(cellsOf(page, filter, late).samples)).toBe('. 1 .');
});

test('a loss is drawn from the last sample that fitted on, at the rate before', () => {
  const page = pageOf(THREE, {
    timeNs: ms(0, 1, 2),
    cpu: [3, 3, 3],
    lossGaps: [{ event: 0, cpu: 3, timeNs: 9.5 * MS, samples: 4 }],
  });
  const { samples, lost } = cellsOf(page, ALL);
  expect(draw(samples)).toBe('1 1 1 . . . . . . .');
  expect(draw(lost)).toBe('. . 1 1 1 1 . . . .');
});

test('a loss ends at the next record of its CPU', () => {
  const page = pageOf(THREE, {
    timeNs: ms(0, 1, 2),
    cpu: [3, 3, 3],
    lossGaps: [{ event: 0, cpu: 3, timeNs: 4 * MS, samples: 100 }],
  });
  const lost = (cpu: number | null) => draw(cellsOf(page, { ...ALL, cpu }).lost);
  expect(lost(null)).toBe('. . 50 50 . . . . . .');
  expect(lost(3)).toBe('. . 50 50 . . . . . .');
  expect(lost(1)).toBe('. . . . . . . . . .');
});

test('a loss with an unknown start is spread over all time before it', () => {
  const page = pageOf(THREE, {
    timeNs: ms(5, 6, 7),
    lossGaps: [{ event: -1, cpu: 0, timeNs: 4 * MS, samples: 8 }],
  });
  expect(draw(cellsOf(page, ALL).lost)).toBe('2 2 2 2 . . . . . .');
});

test('a pause is a share of its cells, and of the threads whose stream it was', () => {
  const streams = [
    { streamId: '7', event: 0 },
    { streamId: '8', event: 0 },
  ] as never;
  const samples = { ...THREE.samples, stream: Int32Array.of(0, 1, 0) };
  const page = pageOf(
    { ...THREE, streams, samples },
    {
      timeNs: ms(0, 1, 9),
      throttles: [{ event: 0, stream: 0, startNs: 2.5 * MS, endNs: 4.25 * MS }],
    },
  );
  const throttled = (...threads: number[]) => draw(cellsOf(page, { ...ALL, threads }).throttled);
  expect(throttled()).toBe('. . 0.5 1 0.25 . . . . .');
  expect(throttled(0)).toBe('. . 0.5 1 0.25 . . . . .');
  expect(throttled(1)).toBe('. . . . . . . . . .');
  expect(throttled(0, 1)).toBe('. . 0.5 1 0.25 . . . . .');
});

test('samples of a ramp are drawn apart from settled ones', () => {
  const periods = [1, 1, 2, 9, 40, 90, ...Array.from({ length: 60 }, () => 100)];
  const grid = { firstNs: 0, cellNs: 6 * MS, length: 11 };
  const adaptive = pageOfPeriods(periods);
  const { samples, ramp } = cellsOf(adaptive, ALL, grid);
  expect(samples.every((count) => count === 6)).toBe(true);
  expect(ramp[0]).toBeGreaterThanOrEqual(5);
  expect(draw(ramp.slice(1))).toBe('. . . . . . . . . .');

  const fixed = pageOfPeriods(periods, { mode: 'period', frequencyHz: null, fixedPeriod: 1 });
  expect(draw(cellsOf(fixed, ALL, grid).ramp)).toBe('. . . . . . . . . . .');
});

test('a heat map has columns of the width asked for, and wider ones where they would not fit', () => {
  const page = pageOf(THREE, { timeNs: ms(0, 25, 42) });
  const map = finish(computeHeatMap(page, { ...ALL, columnNs: 20 * MS, rows: 2 }));
  expect([map.columns, map.rows, map.columnNs]).toEqual([3, 2, 20 * MS]);
  expect(draw(map.cells.samples)).toBe('1 . 1 . 1 .');
  const long = pageOf(THREE, { timeNs: ms(0, 25, 1e7) });
  const wide = finish(computeHeatMap(long, { ...ALL, columnNs: MS, rows: 2 }));
  expect(wide.columns).toBeLessThanOrEqual(1200);
  expect(wide.columnNs * wide.columns).toBeGreaterThan(1e7 * MS);
});

test('a pause of an unknown stream belongs to the streams that stopped at its start', () => {
  const streams = [{ streamId: '7', event: 0 }] as never;
  const page = pageOf(
    { ...THREE, streams },
    {
      timeNs: ms(0, 2.5, 6),
      throttles: [{ event: 0, stream: 0, startNs: 2.5 * MS, endNs: 4 * MS }],
    },
  );
  expect(draw(cellsOf(page, ALL).throttled)).toBe('. . 0.5 1 . . . . . .');
  expect(draw(cellsOf(page, { ...ALL, threads: [0] }).throttled)).toBe('. . . . . . . . . .');
  expect(draw(cellsOf(page, { ...ALL, threads: [1] }).throttled)).toBe('. . 0.5 1 . . . . . .');
});

describe.skipIf(!hasCorpora)('a recording over time', () => {
  test.each([
    'multi-5events-threads-forks.data',
    'pagefaults-F2000.data',
    'systemwide-F500-fp.data',
    'switch-events-F1000-fp.data',
  ])('a recording over time has each of its samples once: %s', async (file) => {
    const opened = await openProfile(join(CORPORA, 'own', file));
    const page = describePageProfile(opened);
    const { events } = describePageReport(opened).periods;
    const { timeNs, length } = page.profile.samples;
    const cellNs = (timeNs[length - 1] + 1) / 100;
    const grid = { firstNs: 0, cellNs, length: 100 };
    const sum = (values: Float64Array) => values.reduce((total, value) => total + value, 0);
    let all = 0;
    for (const [event, { samples }] of events.entries()) {
      expect(sum(cellsOf(page, { ...ALL, event }, grid).samples)).toBe(samples);
      const map = finish(computeHeatMap(page, { ...ALL, event, columnNs: 1e9, rows: 50 }));
      expect(sum(map.cells.samples)).toBe(samples);
      all += samples;
    }
    expect(all).toBe(length);
  });
});
