// Lists of event ids and descriptions of events, of which a small file may claim more than it has.

import { expect, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { eventDescriptionSection } from '../../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../../src/formats/perf-data/features.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { encodeAttr, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { perfDataFile } from '../../helpers/record-builder.ts';

const attr = newAttr({ samplePeriod: 1, sampleType: PERF_SAMPLE.IDENTIFIER });
const FIRST_ATTR = 104;
const STRIDE = 144;
const IDS_OFFSET = 128;

test('lists of ids that lie over each other are read as far as the file has room for them', () => {
  const events = 400;
  const bytes = perfDataFile({
    attrs: Array.from({ length: events }, (_, i) => ({ attr, ids: [i + 1] })),
    records: [],
  });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  for (let event = 0; event < events; event++) {
    const at = FIRST_ATTR + event * STRIDE + IDS_OFFSET;
    view.setBigUint64(at, 0n, true);
    view.setBigUint64(at + 8, BigInt(bytes.length), true);
  }
  const data = openPerfData(memorySource(bytes));
  const ids = data.attrs.reduce((sum, event) => sum + event.ids.length, 0);
  expect(ids).toBeLessThanOrEqual(bytes.length / 8);
  expect(data.diagnostics.entries()).toMatchObject([{ code: 'event-ids-cut' }]);
});

test('events get the names that their ids are described with, in whatever order', () => {
  const attrs = [
    { attr, ids: [1] },
    { attr, ids: [2, 3] },
    { attr, ids: [] },
  ];
  const attrBytes = encodeAttr(attr);
  const section = eventDescriptionSection([
    { attrBytes, name: 'second', ids: [2, 3] },
    { attrBytes, name: 'first', ids: [1] },
    { attrBytes, name: 'third', ids: [] },
  ]);
  const features = [[FEATURE.EVENT_DESC, section.bytes]] as const;
  const data = openPerfData(memorySource(perfDataFile({ attrs, records: [], features })));
  expect(data.attrs.map(({ name }) => name)).toEqual(['first', 'second', 'third']);
});
