import { closeSync, ftruncateSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { readInfo } from '../../src/read/recording-info.ts';
import { rewriteRecording } from '../../src/rewrite/rewrite-recording.ts';
import { dumpRecords } from '../../src/tools/script/dump-records.ts';
import { scratchDirectory } from '../helpers/cli.ts';
import { perfDataFile, plainSample, record } from '../helpers/record-builder.ts';

// A file of more than 4 GiB, most of which is a hole: a trace that nobody reads.
//
//   header │ SAMPLE │ AUXTRACE, 5 GiB of trace │ SAMPLE
const TRACE_BYTES = 5 * 2 ** 30;
const scratch = scratchDirectory();

function writeLargeFile(): { path: string; lastAt: number } {
  const path = join(scratch, 'large.data');
  const sampleType = PERF_SAMPLE.IP | PERF_SAMPLE.TID | PERF_SAMPLE.TIME;
  const sample = (time: number) => plainSample({ ip: 0x401000, pid: 1, tid: 1, time });
  // struct { header; u64 size, offset, reference; u32 idx, tid, cpu, reserved; }
  const trace = record(PERF_RECORD.AUXTRACE, 0, (out) =>
    out.u64(TRACE_BYTES).u64(0).u64(0).u32(0).u32(1).u32(0).u32(0),
  );
  const [first, last] = [sample(1000), sample(2000)];
  const head = perfDataFile({
    attrs: [{ attr: newAttr({ sampleType, samplePeriod: 1 }), ids: [] }],
    records: [first, trace],
    dataSize: first.length + trace.length + TRACE_BYTES + last.length,
  });
  writeFileSync(path, head);
  const lastAt = head.length + TRACE_BYTES;
  const fd = openSync(path, 'r+');
  ftruncateSync(fd, lastAt);
  writeSync(fd, last, 0, last.length, lastAt);
  closeSync(fd);
  return { path, lastAt };
}

test('a file of more than 4 GiB is read to its end', async () => {
  const { path, lastAt } = writeLargeFile();
  expect(statSync(path).blocks * 512).toBeLessThan(1 << 20);
  const { profile, truncatedAt } = await openProfile(path);
  expect([...profile.samples.timeNs]).toEqual([0, 1000]);
  // All of it was read; without any header section it passes for one whose recorder was killed.
  expect(truncatedAt).toBe(statSync(path).size);

  const info = readInfo(path);
  expect(info.records).toEqual({ SAMPLE: 2, AUXTRACE: 1 });
  expect(info.truncatedAt).toBe(truncatedAt);

  const places: number[] = [];
  dumpRecords(path, ({ fileOffset }) => places.push(fileOffset));
  expect(places.at(-1)).toBe(lastAt);

  const { bytesRead, bytesWritten, samplesKept } = rewriteRecording(path, join(scratch, 'small'));
  expect(bytesRead).toBe(lastAt + 32);
  expect(bytesWritten).toBeLessThan(1000);
  expect(samplesKept).toBe(2);
});
