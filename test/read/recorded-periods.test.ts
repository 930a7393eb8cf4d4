import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { headline } from '../../src/period/report/words.ts';
import type { EventIndex } from '../../src/profile/types.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';

const { IP, TID, TIME, PERIOD } = PERF_SAMPLE;
const folder = mkdtempSync(join(tmpdir(), 'recorded-periods-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Page faults every 1000 as asked, whose samples report these periods; undefined: none. */
async function opened(periods: readonly (number | undefined)[]) {
  const isRecorded = periods.some((period) => period !== undefined);
  const attr = newAttr({
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(PERF_COUNT_SW.PAGE_FAULTS),
    samplePeriod: 1000,
    sampleType: IP | TID | TIME | (isRecorded ? PERIOD : 0),
  });
  const path = join(folder, 'perf.data');
  const records = periods.map((period, i) =>
    record(PERF_RECORD.SAMPLE, 2, (out) => {
      out
        .u64(0x401000)
        .u32(10)
        .u32(10)
        .u64(1000 + i);
      if (period !== undefined) out.u64(period);
    }),
  );
  writeFileSync(path, perfDataFile({ attrs: [{ attr, ids: [] }], records }));
  const recording = await openProfile(path, { kallsyms: '/dev/null', symfs: folder });
  const weights = recording.weights('events', 0 as EventIndex);
  return {
    weights: [...weights.values],
    fixedPeriod: recording.profile.events[0]?.fixedPeriod,
    headline: headline(recording.periods().events[0]),
  };
}

test('a period that a sample recorded wins over the fixed one that was asked for', async () => {
  expect(await opened([3, 1, 1, 8])).toEqual({
    weights: [3, 1, 1, 8],
    fixedPeriod: null,
    headline: expect.stringMatching(/^page-faults\S*: each sample reports a period of its own: /),
  });
});

test('samples without a period count for the fixed one that was asked for', async () => {
  // The second interval is divided between its two samples.
  const expected = { weights: [1500, 500], fixedPeriod: 1000 };
  const words = expect.stringMatching(/^page-faults\S*: a sample every 1 000 events, as asked: /);
  expect(await opened([undefined, undefined])).toEqual({ ...expected, headline: words });
  expect(await opened([1000, 1000])).toEqual({ ...expected, headline: words });
});
