import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import {
  PERF_CONTEXT,
  PERF_RECORD,
  PERF_SAMPLE,
} from '../../../src/kernel/perf-event/constants.ts';
import {
  DeferredCallchains,
  type HeldSample,
} from '../../../src/kernel/perf-event/deferred-callchain.ts';
import { visitRecords } from '../../../src/tools/script/record-stream.ts';
import { scratchDirectory } from '../../helpers/cli.ts';
import { perfDataFile, record } from '../../helpers/record-builder.ts';

const { CALLCHAIN, IP, TID, TIME } = PERF_SAMPLE;
const { KERNEL, USER_DEFERRED } = PERF_CONTEXT;
const KERNEL_IP = -0x7000_0000;
const COOKIE = 0xffff_fff1_0000_0003n;
const attr = newAttr({
  samplePeriod: 1000,
  sampleType: IP | TID | TIME | CALLCHAIN,
  flags: { sampleIdAll: true, deferCallchain: true, deferOutput: true },
});

const sample = (tid: number, time: number, callchain: readonly (number | bigint)[]) =>
  record(PERF_RECORD.SAMPLE, 1, (out) => {
    out.u64(KERNEL_IP).u32(10).u32(tid).u64(time).u64(callchain.length);
    for (const entry of callchain) out.u64(entry);
  });
const userPart = (tid: number, time: number, cookie: bigint) =>
  record(PERF_RECORD.CALLCHAIN_DEFERRED, 2, (out) =>
    out.u64(cookie).u64(2).u64(0x40_1010).u64(0x40_2020).u32(10).u32(tid).u64(time),
  );

const scratch = scratchDirectory();

function samplesOf(records: readonly Uint8Array[]) {
  const path = join(scratch, 'deferred.data');
  writeFileSync(path, perfDataFile({ attrs: [{ attr, ids: [] }], records }));
  const reported: string[] = [];
  const { data } = visitRecords(
    path,
    { samplesOnly: true },
    {
      sampleText: ({ tid, timeNs, callchain }) =>
        reported.push(`${tid} ${timeNs}: ${callchain()?.map(({ ip }) => ip.slice(-6))}`),
    },
  );
  // Not whether this user sees the kernel's symbols.
  const counted = data.diagnostics.entries();
  const ofChains = counted.filter(({ code }) => code === 'callchain-user-part-missing');
  return { reported, counted: ofChains.map(({ count }) => count) };
}

describe('samples whose callchain comes in two parts', () => {
  test('a deferred sample is released with its second part', () => {
    const waiting = [KERNEL, KERNEL_IP, USER_DEFERRED, COOKIE];
    const records = [
      sample(11, 1, waiting),
      sample(12, 2, [KERNEL, KERNEL_IP]),
      sample(11, 3, waiting),
      userPart(11, 4, COOKIE),
      sample(11, 5, waiting), // before it is back in user space
      sample(13, 6, waiting), // its user part is missing
    ];
    const whole = '000000,401010,402020';
    expect(samplesOf(records)).toEqual({
      reported: [
        '12 2: 000000',
        `11 1: ${whole}`,
        `11 3: ${whole}`,
        `11 5: ${whole}`,
        '13 6: 000000',
      ],
      counted: [1],
    });
  });

  test('deferred samples are released as they are where too many wait', () => {
    const reported: (readonly [number, boolean])[] = [];
    const diagnostics = new Diagnostics();
    const held = (tid: number) => ({ tid, byteLength: 60 });
    const samples = new DeferredCallchains<HeldSample>(
      ({ tid }, part) => reported.push([tid, part !== null]),
      diagnostics,
      100,
    );
    samples.add(held(1), '0x1');
    expect(reported).toEqual([]);
    samples.add(held(2), '0x1');
    samples.add(held(3), '0x1');
    samples.apply(3, '0x1', Float64Array.of(0x40_1010));
    expect(reported).toEqual([
      [1, false],
      [2, false],
      [3, true],
    ]);
    expect(diagnostics.entries()[0]?.count).toBe(2);
  });
});
