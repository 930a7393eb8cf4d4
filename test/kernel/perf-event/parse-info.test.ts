import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PERF_COUNT_SW, PERF_TYPE } from '../../../src/base/event-type.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { EventLookup, UNKNOWN_EVENT } from '../../../src/kernel/perf-event/event-lookup.ts';
import { computeParseInfo, recordTimeOffset } from '../../../src/kernel/perf-event/parse-info.ts';
import { readRecordTime } from '../../../src/kernel/perf-event/record-time.ts';
import { RecordView } from '../../../src/kernel/perf-event/record-view.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { decodeTrailer, TrailerView } from '../../../src/kernel/perf-event/trailer.ts';
import { record, recordOf, viewOf } from '../../helpers/record-builder.ts';

const { IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD } = PERF_SAMPLE;
const START = { high: 0, low: 0 };

function infoOf(sampleType: number, sampleIdAll = true, littleEndian = true) {
  return computeParseInfo(newAttr({ sampleType, flags: { sampleIdAll } }), littleEndian);
}

describe('parse info', () => {
  test('offsets of time and id follow from the fields before them', () => {
    // sample:  header 8 │ id 8 │ ip 8 │ pid tid 8 │ time …
    // trailer: pid tid 8 │ time 8 │ cpu 8 │ id 8 │ end
    expect(infoOf(IDENTIFIER | IP | TID | TIME | CPU)).toMatchObject({
      sampleIdOffset: 8,
      sampleTimeOffset: 32,
      trailerSize: 32,
      trailerTimeOffset: 24,
      trailerIdOffset: 8,
      sampleFixedSize: 48,
    });
    // sample:  header 8 │ ip 8 │ pid tid 8 │ time 8 │ addr 8 │ id 8 │ period 8
    // trailer: pid tid 8 │ time 8 │ id 8 │ end
    expect(infoOf(IP | TID | TIME | ADDR | ID | PERIOD)).toMatchObject({
      sampleIdOffset: 40,
      sampleTimeOffset: 24,
      trailerSize: 24,
      trailerTimeOffset: 16,
      trailerIdOffset: 8,
      sampleFixedSize: 56,
    });
  });

  test('fields that are not recorded have no offset', () => {
    expect(infoOf(IP | TID)).toMatchObject({
      sampleIdOffset: -1,
      sampleTimeOffset: -1,
      trailerTimeOffset: -1,
      trailerIdOffset: -1,
      trailerSize: 8,
    });
    expect(infoOf(IDENTIFIER | TIME, false)).toMatchObject({
      sampleIdOffset: 8,
      sampleTimeOffset: 16,
      trailerSize: 0,
      trailerTimeOffset: -1,
      trailerIdOffset: -1,
    });
  });

  test('precomputed offsets agree with the decoders for every combination of fields', () => {
    const bits = [IDENTIFIER, IP, TID, TIME, ADDR, ID, STREAM_ID, CPU, PERIOD];
    fc.assert(
      fc.property(fc.subarray(bits), fc.boolean(), (chosen, littleEndian) => {
        const sampleType = chosen.reduce((sum, bit) => sum | bit, 0);
        const info = infoOf(sampleType, true, littleEndian);

        let value = 1000;
        const bytes = record(
          PERF_RECORD.SAMPLE,
          0,
          (out) => {
            for (let i = 0; i < chosen.length; i++) out.u64(value++);
          },
          littleEndian,
        );
        const sample = new SampleView(START);
        const view = viewOf(bytes);
        expect(decodeSample(recordOf(bytes, littleEndian), info, sample)).toBe(true);
        const timeAt = recordTimeOffset(info, recordOf(bytes, littleEndian));
        const word = (at: number) => Number(view.getBigUint64(at, littleEndian));
        expect(timeAt < 0 ? Number.NaN : word(timeAt)).toBe(sample.timeNs);
        if (info.sampleIdOffset >= 0 && !(sampleType & IDENTIFIER && sampleType & ID)) {
          expect(word(info.sampleIdOffset)).toBe(sample.id);
        }

        const encoder = new RecordEncoder(info);
        const fields = { pid: 1, tid: 2, time: 3, id: 4, streamId: 5, cpu: 6 };
        const comm = encoder.comm({ pid: 1, tid: 2, comm: 'name' }, fields);
        const trailer = new TrailerView(START);
        decodeTrailer(recordOf(comm, littleEndian), info, trailer);
        expect(trailer).toMatchObject({
          pid: sampleType & TID ? 1 : -1,
          tid: sampleType & TID ? 2 : -1,
          timeNs: sampleType & TIME ? 3 : Number.NaN,
          id: sampleType & (ID | IDENTIFIER) ? 4 : -1,
          streamId: sampleType & STREAM_ID ? 5 : -1,
          cpu: sampleType & CPU ? 6 : -1,
        });
        const commTimeAt = recordTimeOffset(info, recordOf(comm, littleEndian));
        expect(commTimeAt >= 0).toBe((sampleType & TIME) !== 0);
        if (commTimeAt >= 0) {
          expect(viewOf(comm).getBigUint64(commTimeAt, littleEndian)).toBe(3n);
        }
      }),
    );
  });

  test('a record too short for its time, or a record of perf itself, has no time', () => {
    const info = infoOf(IDENTIFIER | IP | TID | TIME | CPU);
    const timeAt = (size: number, type: number) =>
      recordTimeOffset(info, Object.assign(new RecordView(), { offset: 100, size, type }));
    expect(timeAt(39, PERF_RECORD.SAMPLE)).toBe(-1);
    expect(timeAt(40, PERF_RECORD.SAMPLE)).toBe(132);
    expect(timeAt(31, PERF_RECORD.COMM)).toBe(-1);
    expect(timeAt(48, PERF_RECORD.COMM)).toBe(124);
    expect(timeAt(48, PERF_RECORD.FINISHED_ROUND)).toBe(-1);
  });
});

describe('record time', () => {
  test('record times count from the start; 0 and −1 mean no time', () => {
    const info = infoOf(IDENTIFIER | IP | TID | TIME);
    const encoder = new RecordEncoder(info);
    const start = { high: 2, low: 5 };
    const timeOf = (time: bigint) => {
      const comm = encoder.comm({ pid: 1, tid: 1, comm: 'x' }, { time });
      return readRecordTime(recordOf(comm), info, start);
    };
    const rawStart = (2n << 32n) + 5n;
    expect([rawStart + 7n, rawStart - 7n, 0n, 2n ** 64n - 1n].map(timeOf)).toEqual([
      7,
      -7,
      Number.NaN,
      Number.NaN,
    ]);
    const round = record(PERF_RECORD.FINISHED_ROUND, 0, () => {});
    expect(readRecordTime(recordOf(round), info, start)).toBeNaN();
  });
});

describe('event lookup', () => {
  const sampleType = IDENTIFIER | IP;
  const info = infoOf(sampleType);
  const sampleOf = (id: number) => record(PERF_RECORD.SAMPLE, 0, (out) => out.u64(id).u64(0x1000));
  const indexOf = (lookup: EventLookup, bytes: Uint8Array, type: number = PERF_RECORD.SAMPLE) =>
    lookup.attrIndexOf(Object.assign(recordOf(bytes), { type }));

  test('every id leads to its event, id 0 to the first, an unknown one to none', () => {
    const ids = [
      [3, 1, 4],
      [15, 92, 6],
      [53, 589793, 2 ** 40],
    ];
    const lookup = new EventLookup(ids.map((list) => ({ info, ids: list })));
    ids.forEach((list, event) => {
      for (const id of list) expect(indexOf(lookup, sampleOf(id)), `id ${id}`).toBe(event);
    });
    expect(indexOf(lookup, sampleOf(0))).toBe(0);
    expect(indexOf(lookup, sampleOf(7))).toBe(UNKNOWN_EVENT);
  });

  test('the only event that the kernel itself reports has the samples with foreign ids', () => {
    const { SOFTWARE, TRACEPOINT } = PERF_TYPE;
    const { CPU_CLOCK, PAGE_FAULTS, CONTEXT_SWITCHES, DUMMY } = PERF_COUNT_SW;
    const lookupOf = (...attrs: readonly (readonly [number, number])[]) =>
      new EventLookup(
        attrs.map(([type, config], index) => ({
          info,
          ids: [index + 1],
          attr: { type, config: BigInt(config) },
        })),
      );
    const clock = [SOFTWARE, CPU_CLOCK] as const;
    const faults = [SOFTWARE, PAGE_FAULTS] as const;
    const sideband = [SOFTWARE, DUMMY] as const;
    const lookup = lookupOf(clock, faults, [TRACEPOINT, 77], sideband);
    const ids = [1, 7, 7, 3, 8, 4].map((id) => indexOf(lookup, sampleOf(id)));
    expect(ids).toEqual([0, 1, 1, 2, 1, 3]);
    // Of other records nothing is known.
    const comm = new RecordEncoder(info).comm({ pid: 1, tid: 1, comm: 'x' }, { id: 7 });
    expect(indexOf(lookup, comm, PERF_RECORD.COMM)).toBe(UNKNOWN_EVENT);
    const ambiguous = lookupOf(faults, [SOFTWARE, CONTEXT_SWITCHES], sideband);
    expect(indexOf(ambiguous, sampleOf(7))).toBe(UNKNOWN_EVENT);
    expect(indexOf(lookupOf(clock, sideband), sampleOf(7))).toBe(UNKNOWN_EVENT);
  });

  test('thousands of ids of many instances are all found', () => {
    const perEvent = 5000;
    const lists = [0, 1, 2, 3].map((event) =>
      Array.from({ length: perEvent }, (_, i) => 1 + event + 4 * i),
    );
    const lookup = new EventLookup(lists.map((ids) => ({ info, ids })));
    const wrong = lists.flatMap((ids, event) => ids.filter((id) => lookup.find(id) !== event));
    expect(wrong).toEqual([]);
    expect(lookup.find(4 * perEvent + 1)).toBe(UNKNOWN_EVENT);
  });

  test.each([
    ['that count up', 1],
    ['that are far apart', 2 ** 20],
    ['whose low halves are equal', 2 ** 32],
  ])('half a million ids %s are found without trying most slots', (_name, step) => {
    const ids = Array.from({ length: 500_000 }, (_, i) => (i + 1) * step);
    const lookup = new EventLookup([
      { info, ids },
      { info, ids: [7 + 2 ** 52] },
    ]);
    expect(ids.filter((id) => lookup.find(id) !== 0)).toEqual([]);
    expect(lookup.find(7 + 2 ** 52)).toBe(1);
  });

  test('the id of other records is read from their end', () => {
    const lookup = new EventLookup([
      { info, ids: [1] },
      { info, ids: [2] },
    ]);
    const comm = new RecordEncoder(info).comm({ pid: 1, tid: 1, comm: 'x' }, { id: 2 });
    expect(indexOf(lookup, comm, PERF_RECORD.COMM)).toBe(1);
    expect(indexOf(lookup, comm.slice(0, 12), PERF_RECORD.COMM)).toBe(UNKNOWN_EVENT);
    const round = record(PERF_RECORD.FINISHED_ROUND, 0, () => {});
    expect(indexOf(lookup, round, PERF_RECORD.FINISHED_ROUND)).toBe(0);
  });

  test('a single event needs no id, several without ids all count as the first', () => {
    const noId = infoOf(IP);
    const bytes = record(PERF_RECORD.SAMPLE, 0, (out) => out.u64(0x1000));
    const one = new EventLookup([{ info: noId, ids: [] }]);
    expect([one.kind, indexOf(one, bytes)]).toEqual(['one', 0]);
    const several = new EventLookup([
      { info: noId, ids: [] },
      { info: noId, ids: [] },
    ]);
    expect([several.kind, indexOf(several, bytes)]).toEqual(['first', 0]);
    const none = new EventLookup([]);
    expect([none.kind, indexOf(none, bytes)]).toEqual(['none', UNKNOWN_EVENT]);
  });
});
