import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { followPieces } from '../../../src/base/slices.ts';
import { runReport } from '../../../src/cli/report/report.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { perfDataFile, plainSample } from '../../helpers/record-builder.ts';
import { scratchDirectory } from '../../helpers/scratch.ts';

const log = vi.hoisted((): string[] => []);

vi.mock('../../../src/cli/shared/stdout.ts', async (original) => ({
  ...(await original<object>()),
  writeText: (text: string) => log.push(text),
}));

test('report prints when all is added up: its text ends the line that shows how far that is', async () => {
  const records = Array.from({ length: 100 }, (_, time) =>
    plainSample({ ip: 0x401000, pid: 1, tid: 1, time: 1000 + time }),
  );
  const sampleType = PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME;
  const attr = newAttr({ sampleType });
  const path = join(scratchDirectory(), 'some.data');
  writeFileSync(path, perfDataFile({ attrs: [{ attr, ids: [] }], records }));
  followPieces(() => log.push('piece'));
  try {
    await runReport(path, { sort: 'sym' });
  } finally {
    followPieces(null);
  }
  const printed = log.findIndex((entry) => entry !== 'piece');
  expect(log.slice(printed).join('')).toContain('100 samples');
  expect(printed).toBeGreaterThan(log.lastIndexOf('piece'));
  expect(log[0]).toBe('piece');
});
