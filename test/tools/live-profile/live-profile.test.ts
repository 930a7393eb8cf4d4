import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ByteSource, memorySource } from '../../../src/base/byte-source.ts';
import { openPerfData, type PerfData, walkRecords } from '../../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { openProfile } from '../../../src/read/open-profile.ts';
import { withSource } from '../../../src/read/open-recording.ts';
import { LiveProfile } from '../../../src/tools/live-profile/live-profile.ts';
import { CORPORA, hasCorpora, isFuzzed, perfDataCorpora } from '../../helpers/corpora.ts';
import { finishedRound, perfDataFile, plainSample, record } from '../../helpers/record-builder.ts';

// A recording that comes in pieces, cut anywhere, and is looked at again and again meanwhile, is the
// profile that reading the whole file gives.

const PIECES = [1, 7, 65536];
/** Byte by byte, larger files take too long. */
const MOST_BYTES = 120_000;
/** Records that `LiveProfile` is not fed with: their bytes are compressed, or follow their record. */
const OTHER_BYTES: readonly number[] = [
  PERF_RECORD.COMPRESSED,
  PERF_RECORD.COMPRESSED2,
  PERF_RECORD.AUXTRACE,
];

const files = perfDataCorpora().filter(
  (entry) =>
    !isFuzzed(entry) &&
    entry.walk.mode === 'file' &&
    entry.walk.trunc_rec_at === undefined &&
    entry.walk.bad_at === undefined &&
    entry.walk.attrs.length > 0 &&
    entry.size < MOST_BYTES,
);

describe.skipIf(!hasCorpora)('a recording in pieces is the recording as a whole', () => {
  const cases = files.filter(({ file }) => isPlain(join(CORPORA, file)));

  test.each(cases.map(({ file }) => file))('%s', async (file) => {
    const path = join(CORPORA, file);
    const opened = await openProfile(path, { symbols: false });
    const whole = samplesOf(opened.profile);
    for (const piece of PIECES) {
      expect(
        withSource(path, (source) => inPieces(source, piece)),
        `${piece} bytes`,
      ).toEqual(whole);
    }
  });

  test('the corpora have recordings to read in pieces', () => {
    expect(cases.length).toBeGreaterThanOrEqual(8);
  });
});

test('forks of processes and execs are reported when they arrive, before their round ends', () => {
  const { IDENTIFIER, IP, TID, TIME } = PERF_SAMPLE;
  const sampleType = IDENTIFIER | IP | TID | TIME;
  const attr = newAttr({ samplePeriod: 1000, sampleType, flags: { sampleIdAll: true } });
  const head = perfDataFile({ attrs: [{ attr, ids: [5] }], records: [] });
  const begun: [number, string | null][] = [];
  const live = new LiveProfile(openPerfData(memorySource(head)), {
    onBegun: (pid, comm) => begun.push([pid, comm]),
  });
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  const trailer = { id: 5, time: 100 };
  const task = { pid: 8, parentPid: 7, tid: 8, parentTid: 7, time: 100 };
  live.feed(encoder.fork(task, trailer));
  live.feed(encoder.fork({ ...task, parentPid: 8, tid: 9, parentTid: 8 }, trailer));
  live.feed(encoder.comm({ pid: 8, tid: 8, comm: 'renamed', isExec: false }, trailer));
  const exec = encoder.comm({ pid: 8, tid: 8, comm: 'job', isExec: true }, trailer);
  live.feed(exec.slice(0, 9));
  expect(begun).toEqual([[8, null]]);
  live.feed(exec.slice(9));
  expect(begun).toEqual([
    [8, null],
    [8, 'job'],
  ]);
});

test('the control group of a process is that of its last sample, also when it runs another program', () => {
  const { IDENTIFIER, IP, TID, TIME, CGROUP } = PERF_SAMPLE;
  const sampleType = IDENTIFIER | IP | TID | TIME | CGROUP;
  const attr = newAttr({ samplePeriod: 1000, sampleType, flags: { sampleIdAll: true } });
  const head = perfDataFile({ attrs: [{ attr, ids: [5] }], records: [] });
  const live = new LiveProfile(openPerfData(memorySource(head)), { symbols: false });
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  const trailer = { id: 5, time: 100 };
  const sampleIn = (group: number) =>
    record(PERF_RECORD.SAMPLE, 2, (out) =>
      out.u64(5).u64(0x1000).u32(8).u32(8).u64(200).u64(group),
    );
  const after = (...records: Uint8Array[]) => {
    for (const bytes of [...records, finishedRound(), finishedRound()]) live.feed(bytes);
    return live.cgroupOf(8);
  };
  const exec = encoder.comm({ pid: 8, tid: 8, comm: 'job', isExec: true }, trailer);
  expect(after(exec)).toBe('');
  const paths = ['/a', '/b'].map((path, i) =>
    encoder.cgroup({ cgroupId: BigInt(70 + i), path }, trailer),
  );
  expect(after(...paths, sampleIn(70))).toBe('/a');
  expect(after(sampleIn(71))).toBe('/b');
  expect(after(exec)).toBe('/b');
  expect(after(sampleIn(72))).toBe('');
});

test('tables stay small where processes and stacks come and go, and each slice has its own stacks', () => {
  const { IDENTIFIER, IP, TID, TIME } = PERF_SAMPLE;
  const sampleType = IDENTIFIER | IP | TID | TIME;
  const attr = newAttr({ samplePeriod: 1000, sampleType, flags: { sampleIdAll: true } });
  const head = perfDataFile({ attrs: [{ attr, ids: [5] }], records: [] });
  const options = { symbols: false, hasSmallSlices: true, mostRows: 9000 } as const;
  const live = new LiveProfile(openPerfData(memorySource(head)), options);
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  let time = 100;
  for (let pid = 10; pid < 2010; pid++) {
    const trailer = { id: 5, time: time++ };
    live.feed(encoder.comm({ pid, tid: pid, comm: 'job', isExec: true }, trailer));
    for (let i = 0; i < 10; i++) {
      const mapping = {
        pid,
        tid: pid,
        address: 0x10_0000 * (i + 1),
        length: 0x1000,
        fileOffset: 0,
      };
      const file = { filename: `/bin/f${i}`, prot: 5, flags: 2 };
      const fileId = { major: 8, minor: 1, inode: '7', inodeGeneration: '0' };
      live.feed(encoder.mmap2({ ...mapping, ...file, fileId }, trailer));
    }
    const address = 0x10_0000 * ((pid % 10) + 1) + (pid % 7);
    live.feed(plainSample({ id: 5, ip: address, pid, tid: pid, time: time++ }));
    live.feed(encoder.exit({ pid, parentPid: 1, tid: pid, parentTid: 1, time }, trailer));
    for (let i = 0; i < 2; i++) live.feed(finishedRound());
    const slice = live.takeSlice();
    expect(samplesOf(slice).join(' ')).toContain(`f${pid % 10}+${pid % 7}`);
    expect(slice.stacks.length).toBe(2);
  }
  expect(live.isFull).toBe(false);
});

function isPlain(path: string): boolean {
  return withSource(path, (source) => {
    let isPlain = true;
    walkRecords(openPerfData(source), {
      record: (record) => {
        const { type } = record;
        if (OTHER_BYTES.includes(type)) isPlain = false;
      },
    });
    return isPlain;
  });
}

/** The samples of all slices, one slice after every thousandth part. */
function inPieces(source: ByteSource, piece: number): string[] {
  const data: PerfData = openPerfData(source);
  const live = new LiveProfile(data, { symbols: false });
  const bytes = source.read(data.dataOffset, data.dataSize).slice();
  const found: string[] = [];
  const perSlice = Math.max(1, Math.ceil(bytes.length / piece / 10));
  for (let at = 0, pieces = 1; at < bytes.length; at += piece, pieces++) {
    live.feed(bytes.slice(at, at + piece));
    if (pieces % perSlice === 0) found.push(...samplesOf(live.takeSlice()));
  }
  live.finish();
  found.push(...samplesOf(live.takeSlice()));
  return found;
}

/** The samples: time, CPU, thread and stack of each, innermost frame first. */
function samplesOf({ samples, stacks, frames, dsos, threads, strings }: Profile): string[] {
  return Array.from({ length: samples.length }, (_, row) => {
    const thread = threads[samples.thread[row]];
    const stack: string[] = [];
    for (let at = samples.stack[row]; at >= 0; at = stacks.prefix[at]) {
      const frame = stacks.frame[at];
      const dso = dsos[frames.dso[frame]]?.name ?? '?';
      stack.push(`${dso}+${frames.address[frame].toString(16)}`);
    }
    return [
      samples.timeNs[row],
      samples.cpu[row],
      `${strings[samples.comm[row]]} ${thread?.pid}/${thread?.tid}`,
      samples.event[row],
      samples.periodEvents[row],
      stack.join(' '),
    ].join(' | ');
  });
}
