import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import {
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE,
} from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';

const { IP, TID, TIME } = PERF_SAMPLE;
const { USER, KERNEL, GUEST_KERNEL, GUEST_USER, HYPERVISOR } = PERF_RECORD_MISC;

const folder = mkdtempSync(join(tmpdir(), 'guest-samples-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const KERNEL_ADDRESS = 0xffffffff81000120n;
const USER_ADDRESS = 0x401000n;

/** Samples of one process by the CPU mode and address of each. */
async function dsosOf(...samples: (readonly [mode: number, ip: bigint])[]): Promise<string[]> {
  const sampleType = IP | TID | TIME;
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: false });
  const kernel = { pid: -1, tid: 0, address: 0xffffffff81000000n, length: 0x1000000n };
  const path = join(folder, 'perf.data');
  writeFileSync(
    path,
    perfDataFile({
      attrs: [{ attr: newAttr({ samplePeriod: 1, sampleType }), ids: [] }],
      records: [
        encoder.mmap({
          ...kernel,
          fileOffset: 0n,
          filename: '[kernel.kallsyms]_text',
          cpuMode: KERNEL,
        }),
        // What the process that runs the guest says of the guest's kernel.
        encoder.mmap({
          ...kernel,
          pid: 10,
          fileOffset: 0n,
          filename: '[guest.kernel.kallsyms.10]',
          cpuMode: GUEST_KERNEL,
        }),
        encoder.mmap({
          pid: 10,
          tid: 10,
          address: USER_ADDRESS,
          length: 0x1000n,
          fileOffset: 0n,
          filename: '/bin/qemu',
        }),
        ...samples.map(([mode, ip], i) =>
          record(PERF_RECORD.SAMPLE, mode, (out) =>
            out
              .u64(ip)
              .u32(10)
              .u32(10)
              .u64(100 + i),
          ),
        ),
      ],
    }),
  );
  const { profile } = await openProfile(path, { kallsyms: '/dev/null', symfs: folder });
  const { stacks, frames, dsos } = profile;
  return Array.from(profile.samples.stack, (stack) => {
    const dso = dsos[frames.dso[stacks.frame[stack]]];
    return `${dso?.kind} ${dso?.name}`;
  });
}

describe('samples of a virtual machine', () => {
  test('guest samples are labelled, and not symbolized by the host', async () => {
    expect(
      await dsosOf(
        [USER, USER_ADDRESS],
        [GUEST_USER, USER_ADDRESS],
        [GUEST_KERNEL, KERNEL_ADDRESS],
        [HYPERVISOR, KERNEL_ADDRESS],
      ),
    ).toEqual(['user qemu', 'guest [guest.user]', 'guest [guest.kernel]', 'guest [hypervisor]']);
  });

  test("guest samples leave the host's kernel symbols alone", async () => {
    expect(await dsosOf([KERNEL, KERNEL_ADDRESS])).toEqual(['kernel [kernel.kallsyms]']);
  });
});
