import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { PERF_TYPE } from '../../src/base/event-type.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import type { EventIndex } from '../../src/profile/types.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';

const { IP, TID, TIME, ID, READ, PERIOD, CPU } = PERF_SAMPLE;
const folder = mkdtempSync(join(tmpdir(), 'id-streams-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Sample = {
  id: number;
  tid?: number;
  cpu?: number;
  period?: number;
  leader: number;
  member?: number;
};

/**
 * Opens a recording of the group {page-faults,minor-faults}:S as perf makes it: one instance of each per
 * CPU, leaders with ids 1 and 2, members with ids 11 and 12, and no stream ids.
 */
async function opened(samples: readonly Sample[], { inherit = false, withCpu = false } = {}) {
  const sampleType = IP | TID | TIME | READ | ID | PERIOD | (withCpu ? CPU : 0);
  const readFormat = PERF_FORMAT.ID | PERF_FORMAT.GROUP | PERF_FORMAT.LOST;
  const common = { type: PERF_TYPE.SOFTWARE, sampleType, readFormat };
  const flags = { sampleIdAll: true, inherit };
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  const path = join(folder, 'perf.data');
  writeFileSync(
    path,
    perfDataFile({
      attrs: [
        {
          attr: newAttr({
            ...common,
            config: 2n,
            samplePeriod: 1000,
            flags: { ...flags, freq: true },
          }),
          ids: [1, 2],
        },
        { attr: newAttr({ ...common, config: 5n, flags }), ids: [11, 12] },
      ],
      records: [
        encoder.comm({ pid: 10, tid: 10, comm: 'app' }, { id: 1 }),
        ...samples.map(({ id, tid = 10, cpu = 0, period = 5, leader, member = 0 }, i) =>
          record(PERF_RECORD.SAMPLE, 2, (out) => {
            out
              .u64(0x401000)
              .u32(10)
              .u32(tid)
              .u64(1000 + i)
              .u64(id);
            if (withCpu) out.u32(cpu).u32(0);
            out.u64(period).u64(2);
            out
              .u64(leader)
              .u64(id)
              .u64(0)
              .u64(member)
              .u64(id + 10)
              .u64(0);
          }),
        ),
      ],
    }),
  );
  const recording = await openProfile(path, { kallsyms: '/dev/null', symfs: folder });
  const { profile } = recording;
  const totals = profile.events.map((_, event) => {
    const { values } = recording.weights('events', event as EventIndex);
    const rows = Array.from(profile.samples.event, (_, row) => row).filter(
      (row) => profile.samples.event[row] === event,
    );
    return rows.reduce((sum, row) => sum + values[row], 0);
  });
  const streams = Array.from(profile.samples.stream, (stream) => profile.streams[stream]?.streamId);
  return { totals, streams };
}

// A task that moves to and fro between two CPUs, whose counters stand at 700 and 100 in the end.
const MOVING: Sample[] = [
  { id: 1, leader: 100, member: 10 },
  { id: 2, leader: 20, member: 2 },
  { id: 1, leader: 400, member: 40 },
  { id: 2, leader: 60, member: 6 },
  { id: 1, leader: 700, member: 70 },
  { id: 2, leader: 100, member: 10 },
];

test('samples with an event id and no stream id are counted per instance, not across CPUs', async () => {
  const { totals, streams } = await opened(MOVING);
  expect(totals).toEqual([800, 80]);
  expect(streams.slice(0, 4)).toEqual(['1', '11', '2', '12']);
});

test('threads that inherit an event without stream ids have instances of their own on each CPU', async () => {
  const { totals } = await opened(
    [
      { id: 1, tid: 10, leader: 100, member: 10 },
      { id: 1, tid: 11, leader: 30, member: 3 },
      { id: 2, tid: 10, leader: 50, member: 5 },
      { id: 1, tid: 10, leader: 300, member: 30 },
      { id: 1, tid: 11, leader: 90, member: 9 },
    ],
    { inherit: true },
  );
  expect(totals).toEqual([300 + 90 + 50, 30 + 9 + 5]);
});

test('an inherited event with CPUs is split by thread and CPU', async () => {
  const { totals, streams } = await opened(
    MOVING.map((sample) => ({ ...sample, cpu: sample.id - 1 })),
    { inherit: true, withCpu: true },
  );
  expect(totals[0]).toBe(800);
  expect(streams[0]).toBeUndefined();
});
