import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { type AttrFields, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { perfDataFile } from '../../helpers/record-builder.ts';

const { READ, TIME } = PERF_SAMPLE;

function countedFor(fields: AttrFields) {
  const file = perfDataFile({ attrs: [{ attr: newAttr(fields), ids: [] }], records: [] });
  return openPerfData(memorySource(file)).diagnostics.entries();
}

test.each([
  [{ sampleType: TIME + 2 ** 40 }, 'sample_type 0x10000000004'],
  [{ sampleType: READ, readFormat: 0x21 }, 'read_format 0x21'],
  [{ sampleType: READ + 2 ** 25, readFormat: 0x40 }, 'sample_type 0x2000010, read_format 0x40'],
])('newer fields of %o are reported', (fields, detail) => {
  const code = 'event-fields-newer';
  expect(countedFor(fields)).toEqual([{ code, count: 1, detail }]);
});

test('known fields and an unused read_format are not reported', () => {
  expect(countedFor({ sampleType: TIME, readFormat: 0x40 })).toEqual([]);
  expect(countedFor({ sampleType: 2 ** 25 - 1, readFormat: 0x1f })).toEqual([]);
});
