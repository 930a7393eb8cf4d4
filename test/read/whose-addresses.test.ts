import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { ByteWriter } from '../../src/base/byte-writer.ts';
import { formatAddress } from '../../src/base/u64.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import {
  PERF_RECORD,
  PERF_RECORD_MISC,
  PERF_SAMPLE,
} from '../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../src/kernel/perf-event/encode.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { describeRecords } from '../../src/tools/script/record-stream.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';

const { IP, TID, TIME, CALLCHAIN } = PERF_SAMPLE;
const { USER, KERNEL } = PERF_RECORD_MISC;
const KERNEL_MARKER = 0xffffffffffffff80n;
const USER_MARKER = 0xfffffffffffffe00n;

const folder = mkdtempSync(join(tmpdir(), 'whose-addresses-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Mapping = { path: string; start: bigint; length: bigint; pid?: number };
type Sample = { mode: number; ip: bigint; chain?: readonly bigint[]; pid?: number };
type Machine = { arch: string; littleEndian: boolean; mappings: Mapping[] };

/** Innermost frame first: address and file as the profile has them, then as `script` has them. */
async function framesOf({ arch, littleEndian, mappings }: Machine, sample: Sample) {
  const sampleType = IP | TID | TIME | (sample.chain === undefined ? 0 : CALLCHAIN);
  const encoder = new RecordEncoder({ littleEndian, sampleType, sampleIdAll: false });
  const path = join(folder, 'perf.data');
  writeFileSync(
    path,
    perfDataFile({
      littleEndian,
      attrs: [{ attr: newAttr({ samplePeriod: 1, sampleType }), ids: [] }],
      features: [
        [
          6,
          new ByteWriter(littleEndian)
            .u32(64)
            .text(arch)
            .zeros(64 - arch.length)
            .finish(),
        ],
      ],
      records: [
        ...mappings.map(({ path, start, length, pid = -1 }) =>
          encoder.mmap({
            pid,
            tid: Math.max(pid, 0),
            address: start,
            length,
            fileOffset: pid < 0 ? start : 0n,
            filename: path,
            cpuMode: pid < 0 ? KERNEL : USER,
          }),
        ),
        record(
          PERF_RECORD.SAMPLE,
          sample.mode,
          (out) => {
            const pid = sample.pid ?? 10;
            out.u64(sample.ip).u32(pid).u32(pid).u64(100);
            if (sample.chain === undefined) return;
            out.u64(sample.chain.length);
            for (const entry of sample.chain) out.u64(entry);
          },
          littleEndian,
        ),
      ],
    }),
  );
  const options = { kallsyms: '/dev/null', symfs: folder };
  const { profile } = await openProfile(path, options);
  const { stacks, frames, dsos } = profile;
  const inProfile: string[] = [];
  for (let row = profile.samples.stack[0]; row >= 0; row = stacks.prefix[row]) {
    const frame = stacks.frame[row];
    const address = formatAddress(frames.address[frame]);
    inProfile.push(`${address} ${dsos[frames.dso[frame]]?.name ?? 'nowhere'}`);
  }
  const inScript: string[] = [];
  describeRecords(path, { samplesOnly: true, symbols: options }, ({ callchain }) => {
    for (const { ip, dso } of callchain ?? []) inScript.push(`${ip} ${dso ?? 'nowhere'}`);
  });
  return { inProfile, inScript };
}

const x86: Machine = {
  arch: 'x86_64',
  littleEndian: true,
  mappings: [
    { path: '[kernel.kallsyms]_text', start: 0xffffffff81000000n, length: 0x1000000n },
    { path: '/lib/modules/6.1.0/kernel/last.ko', start: 0xffffffffc0800000n, length: 0x3f7fffffn },
    { path: '/bin/app', start: 0x400000n, length: 0x1000n, pid: 10 },
  ],
};

describe('an address of user code in the upper half', () => {
  test('an address on the vsyscall page belongs to no kernel module', async () => {
    const { inProfile, inScript } = await framesOf(x86, { mode: USER, ip: 0xffffffffff600003n });
    expect(inProfile).toEqual(['0xffffffffff600003 [vsyscall]']);
    expect(inScript).toEqual(['0xffffffffff600003 [vsyscall]']);
  });

  test('an address on the vsyscall page is a frame of its callchain', async () => {
    const { inProfile, inScript } = await framesOf(x86, {
      mode: USER,
      ip: 0xffffffffff600003n,
      chain: [USER_MARKER, 0xffffffffff600003n, 0x400100n],
    });
    expect(inProfile).toEqual(['0xffffffffff600003 [vsyscall]', '0xff app']);
    expect(inScript).toEqual(['0xffffffffff600003 [vsyscall]', '0x400100 /bin/app']);
  });

  test("a user address in the upper half elsewhere is not the kernel's", async () => {
    const { inProfile } = await framesOf(x86, { mode: USER, ip: 0xffffffffc0800123n });
    expect(inProfile).toEqual(['0xffffffffc0800123 nowhere']);
  });

  test('a high user address of sparc64 belongs to the process that mapped it', async () => {
    const library = { start: 0xfff8000100000000n, length: 0x100000n };
    const sparc: Machine = {
      arch: 'sparc64',
      littleEndian: false,
      mappings: [
        { path: '[kernel.kallsyms]_text', start: 0x404000n, length: 0x800000n },
        { path: '/lib/a.so', ...library, pid: 10 },
        { path: '/lib/b.so', ...library, pid: 11 },
      ],
    };
    const sample = { mode: USER, ip: 0xfff8000100000120n };
    expect((await framesOf(sparc, sample)).inProfile).toEqual(['0x120 a.so']);
    expect((await framesOf(sparc, { ...sample, pid: 11 })).inProfile).toEqual(['0x120 b.so']);
  });
});

describe('an address of a kernel', () => {
  test('a kernel address of ppc64 keeps all its bits', async () => {
    const ppc: Machine = {
      arch: 'ppc64',
      littleEndian: false,
      mappings: [
        { path: '[kernel.kallsyms]_text', start: 0xc000000000000000n, length: 0x3fffffffffffffffn },
        { path: '/lib/modules/4.4.0/a.ko', start: 0xd000000007fe0000n, length: 0x10000n },
        { path: '/bin/app', start: 0x10000000n, length: 0x10000n, pid: 10 },
      ],
    };
    const { inProfile, inScript } = await framesOf(ppc, {
      mode: KERNEL,
      ip: 0xc00000000018ae84n,
      chain: [
        ...[KERNEL_MARKER, 0xc00000000018ae84n, 0xd000000007fe1235n, 0xc000000000009204n],
        ...[USER_MARKER, 0x10000123n],
      ],
    });
    expect(inProfile).toEqual([
      '0xc00000000018ae84 [kernel.kallsyms]',
      '0xd000000007fe1234 [a]',
      '0xc000000000009203 [kernel.kallsyms]',
      '0x123 app',
    ]);
    expect(inScript.map((line) => line.split(' ')[0])).toEqual([
      ...['0xc00000000018ae84', '0xd000000007fe1235', '0xc000000000009204', '0x10000123'],
    ]);
  });

  test('a kernel address of s390 is recognized by the CPU mode', async () => {
    const s390: Machine = {
      arch: 's390x',
      littleEndian: false,
      mappings: [
        { path: '[kernel.kallsyms]_text', start: 0x100000n, length: 0x1000000n },
        { path: '/bin/app', start: 0x100000n, length: 0x10000n, pid: 10 },
      ],
    };
    const both = await framesOf(s390, {
      mode: KERNEL,
      ip: 0x100124n,
      chain: [KERNEL_MARKER, 0x100124n, USER_MARKER, 0x100136n],
    });
    expect(both.inProfile).toEqual(['0x100124 [kernel.kallsyms]', '0x136 app']);
    expect(both.inScript).toEqual(['0x100124 [kernel.kallsyms]', '0x100136 /bin/app']);
    const alone = await framesOf(s390, { mode: KERNEL, ip: 0x100124n });
    expect(alone.inProfile).toEqual(['0x100124 [kernel.kallsyms]']);
    const user = await framesOf(s390, { mode: USER, ip: 0x100124n });
    expect(user.inProfile).toEqual(['0x124 app']);
  });

  test('a kernel address without a mapping of the kernel is in no file of the process', async () => {
    const s390: Machine = {
      arch: 's390x',
      littleEndian: false,
      mappings: [{ path: '/bin/app', start: 0x100000n, length: 0x10000n, pid: 10 }],
    };
    const { inProfile } = await framesOf(s390, { mode: KERNEL, ip: 0x100124n });
    expect(inProfile).toEqual(['0x100124 nowhere']);
  });
});
