import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { findingsOf } from '../../src/read/outputs/findings-of.ts';
import { perfDataFile, plainSample } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const FEATURE_HOSTNAME = 3;
const PERIOD = 100;
const TASKS = 10;

/** The finding on ends of ten tasks with `samples` each, of an event of the kernel's software at each `PERIOD`. */
async function endsOf(samples: number, event: number) {
  const attr = newAttr({
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(event),
    samplePeriod: PERIOD,
    sampleType: PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME,
  });
  const ids = Array.from({ length: TASKS }, (_, task) => task + 1);
  const records = Array.from({ length: samples * TASKS }, (_, i) => {
    const task = 1 + (i % TASKS);
    return plainSample({ id: task, ip: 0x1000 + i, pid: task, tid: task, time: 1000 * (i + 1) });
  });
  const features = [[FEATURE_HOSTNAME, Buffer.from('\x08\0\0\0machine\0')]] as const;
  const path = join(scratchDirectory(), 'tasks.data');
  writeFileSync(path, perfDataFile({ attrs: [{ attr, ids }], records, features }));
  const found = findingsOf(await openProfile(path));
  return found.filter(({ code }) => code === 'events-uncounted');
}

test('half a period of each task is unknown under a fixed period without final counts', async () => {
  const [few] = await endsOf(4, PERF_COUNT_SW.PAGE_FAULTS);
  expect(few).toMatchObject({ severity: 'doubt', place: { event: 0 } });
  expect(few.share).toBeCloseTo((TASKS * PERIOD) / 2 / (TASKS * 4 * PERIOD), 12);
  expect(await endsOf(50, PERF_COUNT_SW.PAGE_FAULTS)).toMatchObject([{ severity: 'note' }]);
  expect(await endsOf(60, PERF_COUNT_SW.PAGE_FAULTS)).toEqual([]);
});

test('a clock that samples every so many nanoseconds has no end to count', async () => {
  expect(await endsOf(4, PERF_COUNT_SW.CPU_CLOCK)).toEqual([]);
});
