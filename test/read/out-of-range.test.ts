// Numbers of records that no machine has: they are counted and left out, and the profile keeps its invariants.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import {
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE,
} from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { exportPprof } from '../../src/read/outputs/export-pprof.ts';
import { checkProfile } from '../helpers/check-profile.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';
import { scratchDirectory } from '../helpers/scratch.ts';

const { IP, TID, TIME, CPU } = PERF_SAMPLE;
const folder = scratchDirectory();

type Drawn = {
  readonly sampleType: number;
  readonly samples?: readonly Uint8Array[];
  readonly fileOffset?: bigint;
};

/** A recording with a mapping at 0x401000 and these samples. */
async function open({ sampleType, samples = [], fileOffset = 0n }: Drawn): Promise<OpenedProfile> {
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: false });
  const mapping = {
    pid: 10,
    tid: 10,
    address: 0x401000n,
    length: 0x1000n,
    filename: '/nowhere/app',
  };
  const path = join(folder, 'perf.data');
  const attr = newAttr({ samplePeriod: 1, sampleType });
  const records = [encoder.mmap({ ...mapping, fileOffset }), ...samples];
  writeFileSync(path, perfDataFile({ attrs: [{ attr, ids: [] }], records }));
  const opened = await openProfile(path, { symbols: false });
  checkProfile(opened.profile);
  return opened;
}

function sampleOf(ip: bigint, cpu: number, mode: number = PERF_RECORD_MISC.USER): Uint8Array {
  return record(PERF_RECORD.SAMPLE, mode, (out) =>
    out.u64(ip).u32(10).u32(10).u64(100).u32(cpu).u32(0),
  );
}

const counted = (opened: OpenedProfile) =>
  opened.diagnostics
    .entries()
    .filter(({ code }) => code === 'number-out-of-range')
    .map(({ count, example }) => [count, example]);

test('a sample of a CPU that no kernel has is of no CPU, and counted', async () => {
  const samples = [1, 2 ** 32 - 4096, 2 ** 31, 2 ** 31 - 1, 2 ** 20, 2 ** 32 - 1, 8191].map((cpu) =>
    sampleOf(0x401100n, cpu),
  );
  const opened = await open({ sampleType: IP | TID | TIME | CPU, samples });
  expect([...opened.profile.samples.cpu]).toEqual([1, -1, -1, -1, -1, -1, 8191]);
  expect(counted(opened)).toEqual([[4, 'a sample of CPU -4096']]);
});

test('a mapping of a part of a file that no file has is counted, and covers nothing', async () => {
  const samples = [sampleOf(0x401100n, 0)];
  for (const fileOffset of [2n ** 60n, 2n ** 53n - 0x800n, 2n ** 64n - 0x1000n]) {
    const opened = await open({ sampleType: IP | TID | TIME | CPU, samples, fileOffset });
    expect([...opened.profile.frames.dso]).toEqual([-1]);
    expect(counted(opened)).toEqual([[1, 'a mapping of /nowhere/app']]);
  }
});

test('an address of a guest that is not exact is in no code', async () => {
  const samples = [2n ** 60n + 1n, 0x1000n].map((ip) =>
    sampleOf(ip, 0, PERF_RECORD_MISC.GUEST_KERNEL),
  );
  const { profile } = await open({ sampleType: IP | TID | TIME | CPU, samples });
  const { frames, dsos } = profile;
  expect(Array.from(frames.dso, (dso) => dsos[dso]?.name)).toEqual([undefined, '[guest.kernel]']);
});

test('a recording without times is exported as pprof', async () => {
  const sample = record(PERF_RECORD.SAMPLE, PERF_RECORD_MISC.USER, (out) =>
    out.u64(0x401100n).u32(10).u32(10),
  );
  const opened = await open({ sampleType: IP | TID, samples: [sample] });
  expect((await exportPprof(opened)).length).toBeGreaterThan(0);
});
