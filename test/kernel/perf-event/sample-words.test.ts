import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wordsOf } from '../../../src/base/u64.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { EventLookup } from '../../../src/kernel/perf-event/event-lookup.ts';
import { computeParseInfo, type ParseInfo } from '../../../src/kernel/perf-event/parse-info.ts';
import { readRecordTime } from '../../../src/kernel/perf-event/record-time.ts';
import { RecordView } from '../../../src/kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { record, viewOf } from '../../helpers/record-builder.ts';

const START = { high: 0x1234, low: 0xffff_fff0 };
const HEAD = [
  ...[PERF_SAMPLE.IDENTIFIER, PERF_SAMPLE.IP, PERF_SAMPLE.TID, PERF_SAMPLE.TIME],
  ...[PERF_SAMPLE.ADDR, PERF_SAMPLE.ID, PERF_SAMPLE.STREAM_ID, PERF_SAMPLE.CPU],
  PERF_SAMPLE.PERIOD,
];
const u64 = fc.bigInt(0n, 2n ** 64n - 1n);

/** A sample of any plain format; its callchain may claim more entries than it has. */
const plainSample = fc.record({
  head: fc.uniqueArray(fc.constantFrom(...HEAD)),
  values: fc.array(u64, { minLength: HEAD.length, maxLength: HEAD.length }),
  callchain: fc.option(fc.array(u64, { maxLength: 40 }), { nil: null }),
  tooMany: fc.constantFrom(0, 0, 0, 1, 2 ** 20),
});

/** The record at an offset of 8 bytes in a larger view, as bytes and as words. */
function bothViews(bytes: Uint8Array): { byBytes: RecordView; byWords: RecordView } {
  const padded = new Uint8Array(bytes.length + 16);
  padded.set(bytes, 8);
  const view = viewOf(padded);
  const byBytes = new RecordView().moveTo(view, 8, true, 5);
  const byWords = new RecordView();
  byWords.moveInWords(view, wordsOf(view, true), 8, true, 5);
  return { byBytes, byWords };
}

const sample = new SampleView(START);

/** What a plain sample can have; null if it can't be decoded. */
function fieldsOf(record: RecordView, info: ParseInfo) {
  // As of another format, so that no field is left from the sample before.
  sample.format = null;
  if (!decodeSample(record, info, sample)) return null;
  const { id, ip, pid, tid, timeNs, addr, streamId, cpu, period, misc } = sample;
  const { callchain, callchainLength, callchainOffset, deferredCookieOffset } = sample;
  return [
    ...[id, ip, pid, tid, timeNs, addr, streamId, cpu, period, misc],
    ...[callchainOffset, deferredCookieOffset, callchainLength],
    ...callchain.slice(0, callchainLength),
  ];
}

test('a plain sample reads as words what it reads as bytes', () => {
  fc.assert(
    fc.property(plainSample, ({ head, values, callchain, tooMany }) => {
      const fields = HEAD.filter((bit) => head.includes(bit));
      const sampleType = [...fields, ...(callchain === null ? [] : [PERF_SAMPLE.CALLCHAIN])].reduce(
        (all, bit) => all | bit,
        0,
      );
      const bytes = record(PERF_RECORD.SAMPLE, 0x4002, (out) => {
        for (let i = 0; i < fields.length; i++) out.u64(values[i]);
        if (callchain === null) return;
        out.u64(callchain.length + tooMany);
        for (const entry of callchain) out.u64(entry);
      });
      const attr = newAttr({ sampleType, samplePeriod: 9 });
      const info = computeParseInfo(attr, true);
      const { byBytes, byWords } = bothViews(bytes);
      expect(info.isPlain).toBe(true);
      expect(byWords.words).not.toBeNull();
      expect({ ...byWords, words: null }).toEqual({ ...byBytes });
      expect(fieldsOf(byWords, info)).toEqual(fieldsOf(byBytes, info));
      expect(readRecordTime(byWords, info, START)).toEqual(readRecordTime(byBytes, info, START));
      const lookup = new EventLookup([
        { info, ids: [Number(values[0] & 0xffffn)] },
        { info, ids: [Number(values[0] & 0xffffn) + 1] },
      ]);
      expect(lookup.attrIndexOf(byWords)).toBe(lookup.attrIndexOf(byBytes));
    }),
  );
});

test.each([
  ['of the other byte order', 0, false],
  ['that begins between two words', 2, true],
])('bytes are not read as words in a view %s', (_what, byteOffset, littleEndian) => {
  const view = new DataView(new ArrayBuffer(32), byteOffset, 16);
  expect(wordsOf(view, littleEndian)).toBeNull();
});

test.each([
  ['begins between two words', 2, 16],
  ['ends between two words', 4, 14],
])('a record that %s has no words', (_what, offset, size) => {
  const view = new DataView(new ArrayBuffer(32));
  view.setUint32(offset, PERF_RECORD.SAMPLE, true);
  view.setUint16(offset + 6, size, true);
  const moved = new RecordView();
  moved.moveInWords(view, wordsOf(view, true), offset, true, 0);
  expect(moved).toMatchObject({ words: null, type: PERF_RECORD.SAMPLE, size, offset });
});
