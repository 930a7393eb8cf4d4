// Which event lost what, in files of recorders that keep the side-band apart and of others.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { PERF_COUNT_SW, PERF_TYPE } from '../../src/base/event-type.ts';
import { lostSamplesOf } from '../../src/base/lost-samples.ts';
import { FEATURE } from '../../src/formats/perf-data/features.ts';
import { openPerfData } from '../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { Pipeline } from '../../src/read/pipeline.ts';
import { readInfo } from '../../src/read/recording-info.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const scratch = scratchDirectory();

const fields = {
  type: PERF_TYPE.SOFTWARE,
  samplePeriod: 1000,
  sampleType: PERF_SAMPLE.IDENTIFIER | PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME,
  flags: { sampleIdAll: true },
};
const clock = newAttr({ ...fields, config: BigInt(PERF_COUNT_SW.CPU_CLOCK) });
const trackingClock = { ...clock, flags: { ...clock.flags, mmap: true, task: true } };
const sideband = newAttr({
  ...fields,
  config: BigInt(PERF_COUNT_SW.DUMMY),
  flags: { mmap: true, task: true, sampleIdAll: true },
});
const CLOCK_ID = 1;
const SIDEBAND_ID = 2;

/** `struct { header; u64 id; u64 lost; struct sample_id }`, which has the identifier last. */
const lost = (id: number, count: number) =>
  record(PERF_RECORD.LOST, 0, (out) => out.u64(id).u64(count).u32(7).u32(7).u64(100).u64(id));
/** `struct { header; u64 lost; struct sample_id }` */
const lostSamples = (id: number, count: number) =>
  record(PERF_RECORD.LOST_SAMPLES, 0, (out) => out.u64(count).u32(7).u32(7).u64(100).u64(id));

/** The VERSION section: the recorder's version, and behind it what perf-ts says of itself. */
function version(ours: boolean): readonly [number, Uint8Array] {
  const text = new TextEncoder();
  const provenance = { version: 1, recorder: '1.0', notes: [], kernel: {}, totals: {} };
  const behind = ours ? text.encode(JSON.stringify(provenance)) : new Uint8Array();
  const bytes = new Uint8Array(4 + 8 + behind.length);
  new DataView(bytes.buffer).setUint32(0, 8, true);
  bytes.set(text.encode('6.1'), 4);
  bytes.set(behind, 12);
  return [FEATURE.VERSION, bytes];
}

function lossesOf(
  records: readonly Uint8Array[],
  features: readonly (readonly [number, Uint8Array])[],
  sampled = sampleSideband(clock),
) {
  const bytes = perfDataFile({ attrs: sampled, records, features });
  const pipeline = Pipeline.open(openPerfData(memorySource(bytes)));
  pipeline.run();
  const [{ lostRecords, lostSamples } = { lostRecords: -1, lostSamples: -1 }] = pipeline.losses();
  const { lostSideband } = pipeline;
  return { lostRecords, lostSamples, lostSideband, notes: pipeline.lossNotes() };
}

function sampleSideband(attr: typeof clock) {
  return [
    { attr, ids: [CLOCK_ID] },
    { attr: sideband, ids: [SIDEBAND_ID] },
  ];
}

const announced = [lost(CLOCK_ID, 3), lost(SIDEBAND_ID, 40)];
const NONE = { notes: [] };

describe('what a recording lost', () => {
  test.each([
    ['of perf-ts', [version(true)]],
    ['that was cut before it could say whose it is', []],
  ])('lost samples and side-band are separate in a recording %s', (_name, features) => {
    const expected = { lostRecords: 3, lostSamples: 0, lostSideband: 40, ...NONE };
    expect(lossesOf(announced, features)).toEqual(expected);
    const counted = [...announced, lostSamples(CLOCK_ID, 5), lostSamples(SIDEBAND_ID, 41)];
    expect(lossesOf(counted, features)).toEqual({
      lostRecords: 3,
      lostSamples: 5,
      lostSideband: 41,
      ...NONE,
    });
  });

  test('all LOST records of shared rings count as samples, unless counters were read', () => {
    const features = [version(false)];
    expect(lossesOf(announced, features)).toEqual({
      lostRecords: 43,
      lostSamples: 0,
      lostSideband: 0,
      ...NONE,
    });
    // Counters know better.
    const counted = [...announced, lostSamples(CLOCK_ID, 41), lostSamples(SIDEBAND_ID, 2)];
    expect(lossesOf(counted, features)).toMatchObject({ lostSamples: 41, lostSideband: 2 });
  });

  test('losses are not separated where the sampled event carries the side-band, with a note', () => {
    const alone = [{ attr: trackingClock, ids: [CLOCK_ID] }];
    const { notes, ...figures } = lossesOf([lost(CLOCK_ID, 9)], [version(false)], alone);
    expect(figures).toEqual({ lostRecords: 9, lostSamples: 0, lostSideband: 0 });
    expect(notes).toHaveLength(1);
    expect(notes[0]).toContain('forks, execs and mappings may be among the 9 lost records');
  });

  test('info and report count the same where events share rings', () => {
    const faults = newAttr({ ...fields, config: BigInt(PERF_COUNT_SW.PAGE_FAULTS) });
    const FAULTS_ID = 3;
    const attrs = [...sampleSideband(clock), { attr: faults, ids: [FAULTS_ID] }];
    // The clock wrote next after a loss that was mostly page faults.
    const records = [
      lost(CLOCK_ID, 100),
      lostSamples(CLOCK_ID, 3),
      lostSamples(FAULTS_ID, 97),
      lostSamples(SIDEBAND_ID, 2),
    ];
    const bytes = perfDataFile({ attrs, records, features: [version(true)] });
    const path = join(scratch, 'shared.data');
    writeFileSync(path, bytes);
    const { loss } = readInfo(path);
    expect(loss).toEqual({ lostRecords: 100, lostSamples: 100, best: 100, lostSideband: 2 });
    const pipeline = Pipeline.open(openPerfData(memorySource(bytes)));
    pipeline.run();
    const losses = pipeline.losses();
    expect(losses.map(({ event }) => lostSamplesOf(losses, event))).toEqual([3, 97]);
  });
});
