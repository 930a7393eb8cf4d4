import { describe, expect, test } from 'vitest';
import type { ByteWriter } from '../../../src/base/byte-writer.ts';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { joinFloats } from '../../../src/base/join-bytes.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import {
  PERF_CONTEXT,
  PERF_RECORD,
  PERF_SAMPLE,
} from '../../../src/kernel/perf-event/constants.ts';
import {
  DeferredCallchains,
  type HeldSample,
  readCookie,
} from '../../../src/kernel/perf-event/deferred-callchain.ts';
import { computeParseInfo } from '../../../src/kernel/perf-event/parse-info.ts';
import { decodeRecord } from '../../../src/kernel/perf-event/record.ts';
import { decodeSample, SampleView } from '../../../src/kernel/perf-event/sample.ts';
import { record, recordOf, viewOf } from '../../helpers/record-builder.ts';

// The CPU in the lower half, a count in the upper: not exact as a double.
const COOKIE = 0xffff_fff1_0000_0003n;
const KERNEL_IP = 0xffff_ffff_8100_1234n;
const sampleType = PERF_SAMPLE.CALLCHAIN | PERF_SAMPLE.CGROUP;

function decodeChain(write: (out: ByteWriter) => void, deferCallchain = true) {
  const attr = newAttr({ sampleType, flags: { deferCallchain } });
  const bytes = record(PERF_RECORD.SAMPLE, 1, write);
  const sample = new SampleView({ high: 0, low: 0 });
  const view = viewOf(bytes);
  const info = computeParseInfo(attr, true);
  expect(decodeSample(recordOf(bytes), info, sample)).toBe(true);
  expect(sample.cgroup).toBe(7);
  const callchain = sample.callchain.slice(0, sample.callchainLength);
  const at = sample.deferredCookieOffset;
  return { callchain, cookie: at < 0 ? null : readCookie(view, at, true) };
}

describe('deferred callchain', () => {
  test('the deferred marker and cookie are not callchain entries', () => {
    const { callchain, cookie } = decodeChain((out) =>
      out.u64(4).u64(-128).u64(KERNEL_IP).u64(-640).u64(COOKIE).u64(7),
    );
    expect([...callchain]).toEqual([-128, Number(KERNEL_IP - 2n ** 64n)]);
    expect(cookie).toBe('0xfffffff100000003');
  });

  test('a complete callchain of an event with deferral stays as it is', () => {
    const { callchain, cookie } = decodeChain((out) => out.u64(2).u64(-512).u64(0x401000).u64(7));
    expect([...callchain]).toEqual([-512, 0x401000]);
    expect(cookie).toBeNull();
  });

  test('a deferred callchain is completed by the record with its cookie', () => {
    const { callchain, cookie } = decodeChain((out) =>
      out.u64(4).u64(-128).u64(KERNEL_IP).u64(-640).u64(COOKIE).u64(7),
    );
    const bytes = record(PERF_RECORD.CALLCHAIN_DEFERRED, 2, (out) =>
      out.u64(COOKIE).u64(2).u64(-512).u64(0x401000),
    );
    const info = computeParseInfo(newAttr({ sampleType }), true);
    const deferred = decodeRecord(recordOf(bytes), info);
    if (deferred.kind !== 'callchainDeferred') throw new Error(deferred.kind);
    expect(deferred.cookie).toBe(cookie);
    const { KERNEL, USER } = PERF_CONTEXT;
    const joined = [KERNEL, Number(KERNEL_IP - 2n ** 64n), USER, 0x401000];
    expect([...joinFloats(callchain, deferred.callchain)]).toEqual(joined);
  });
});

describe('samples that wait for their user part', () => {
  const settling = () => {
    const settled: [string, number[] | null][] = [];
    const diagnostics = new Diagnostics();
    const callchains = new DeferredCallchains<HeldSample & { readonly name: string }>(
      ({ name }, userPart) => settled.push([name, userPart && [...userPart]]),
      diagnostics,
    );
    const add = (tid: number, cookie: string, name: string) =>
      callchains.add({ tid, byteLength: 1, name }, cookie);
    const missing = () => diagnostics.entries()[0]?.count ?? 0;
    return { callchains, add, settled, missing };
  };
  const { USER } = PERF_CONTEXT;

  test('all samples of a thread and cookie are completed by its record', () => {
    const { callchains, add, settled, missing } = settling();
    add(1, '0xa', 'first of 1');
    add(2, '0xa', 'only of 2');
    add(1, '0xa', 'second of 1');
    expect(settled).toEqual([]);
    callchains.apply(1, '0xa', Float64Array.of(0x401000));
    expect(settled).toEqual([
      ['first of 1', [USER, 0x401000]],
      ['second of 1', [USER, 0x401000]],
    ]);
    expect(missing()).toBe(0);
    callchains.giveUp();
    expect(settled.slice(2)).toEqual([['only of 2', null]]);
    expect(missing()).toBe(1);
  });

  test('samples whose deferred record was lost are released without it', () => {
    const { callchains, add, settled, missing } = settling();
    add(1, '0xa', 'old');
    add(1, '0xb', 'new');
    expect(settled).toEqual([['old', null]]);
    callchains.apply(1, '0xc', Float64Array.of(0x401000));
    expect(settled.slice(1)).toEqual([['new', null]]);
    expect(missing()).toBe(2);
  });
});
