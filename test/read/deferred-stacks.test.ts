import { describe, expect, test } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { openPerfData } from '../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../src/kernel/perf-event/attr.ts';
import { PERF_CONTEXT, PERF_RECORD, PERF_SAMPLE } from '../../src/kernel/perf-event/constants.ts';
import { Pipeline } from '../../src/read/pipeline.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';

// All 64 bits: the CPU in the lower half, a count in the upper.
const FIRST = 0xffff_fff1_0000_0003n;
const SECOND = 0xffff_fff2_0000_0003n;
const KERNEL_IP = -0x7000_0000;
const KERNEL_CALLER = -0x6f00_0000;
const USER_IP = 0x40_1010;
const USER_CALLER = 0x40_2020;
const { KERNEL, USER, USER_DEFERRED } = PERF_CONTEXT;

/** Return addresses are looked up inside the call, one byte before. */
const IN_KERNEL = [KERNEL_CALLER - 1, KERNEL_IP];
const WHOLE = [USER_CALLER - 1, USER_IP, ...IN_KERNEL];

const { CALLCHAIN, IP, READ, TID, TIME } = PERF_SAMPLE;
const attr = newAttr({
  samplePeriod: 1000,
  sampleType: IP | TID | TIME | CALLCHAIN,
  flags: { sampleIdAll: true, deferCallchain: true, deferOutput: true },
});

let time = 0;

function sampleOf(tid: number, callchain: readonly (number | bigint)[]): Uint8Array {
  return record(PERF_RECORD.SAMPLE, 1, (out) => {
    out.u64(KERNEL_IP).u32(10).u32(tid).u64(++time).u64(callchain.length);
    for (const entry of callchain) out.u64(entry);
  });
}

function kernelSample(tid: number, cookie: bigint): Uint8Array {
  return sampleOf(tid, [KERNEL, KERNEL_IP, KERNEL_CALLER, USER_DEFERRED, cookie]);
}

function userPart(tid: number, cookie: bigint, callchain = [USER_IP, USER_CALLER]): Uint8Array {
  return record(PERF_RECORD.CALLCHAIN_DEFERRED, 2, (out) => {
    out.u64(cookie).u64(callchain.length);
    for (const entry of callchain) out.u64(entry);
    out.u32(10).u32(tid).u64(++time);
  });
}

/** Per sample the addresses of its stack, outermost first; and what was counted. */
function stacksOf(
  records: readonly Uint8Array[],
  attrs: Parameters<typeof perfDataFile>[0]['attrs'] = [{ attr, ids: [] }],
  inlinedAt: number | null = null,
) {
  const pipeline = Pipeline.open(openPerfData(memorySource(perfDataFile({ attrs, records }))));
  pipeline.run();
  if (inlinedAt !== null) addInlinedCall(pipeline, inlinedAt);
  const { samples, stacks, frames } = pipeline.builder.finish({
    meta: {
      commandLine: [],
      hostname: null,
      kernel: null,
      arch: null,
      startTime: '0',
      clock: 'perf',
      notes: [],
    },
    events: [],
    dsos: pipeline.processes.dsos.finish(),
    threads: pipeline.processes.finishThreads(),
    streams: pipeline.streams,
    losses: [],
  });
  pipeline.completeSamples(samples);
  const addressesOf = (leaf: number) => {
    const addresses: number[] = [];
    for (let stack = leaf; stack >= 0; stack = stacks.prefix[stack]) {
      addresses.unshift(frames.address[stacks.frame[stack]]);
    }
    return addresses;
  };
  return {
    stacks: [...samples.stack].map(addressesOf),
    counted: pipeline.diagnostics.entries(),
  };
}

/** Another function was inlined at `address`: every stack through it gets a row more. */
function addInlinedCall({ builder }: Pipeline, address: number): void {
  const { frames, addresses } = builder.frames.addresses(-1);
  const frame = frames[addresses.indexOf(address)];
  const func = builder.funcs.intern(builder.strings.intern('inlined'), -1);
  builder.addInlined(frame, -1, address, 1, func);
}

const missing = (count: number, detail: string) => ({
  code: 'callchain-user-part-missing',
  count,
  detail,
});

describe('a sample whose callchain is deferred', () => {
  test('a deferred callchain gets its user part from the record with its cookie and thread', () => {
    const records = [
      kernelSample(11, FIRST),
      kernelSample(12, SECOND),
      sampleOf(11, [KERNEL, KERNEL_IP, USER_DEFERRED, FIRST]),
      userPart(12, SECOND, [USER_CALLER]),
      userPart(11, FIRST),
    ];
    expect(stacksOf(records)).toEqual({
      stacks: [WHOLE, [USER_CALLER, ...IN_KERNEL], [USER_CALLER - 1, USER_IP, KERNEL_IP]],
      counted: [],
    });
  });

  test('a deferred callchain is joined also where its record has a marker', () => {
    const records = [kernelSample(11, FIRST), userPart(11, FIRST, [USER, USER_IP, USER_CALLER])];
    expect(stacksOf(records)).toEqual({ stacks: [WHOLE], counted: [] });
  });

  test('a deferred callchain of a sample in user space has the user part only', () => {
    const records = [sampleOf(11, [USER_DEFERRED, FIRST]), userPart(11, FIRST)];
    expect(stacksOf(records)).toEqual({ stacks: [[USER_CALLER - 1, USER_IP]], counted: [] });
  });

  test('a sample between the deferred record and the return to user space is completed, too', () => {
    const records = [kernelSample(11, FIRST), userPart(11, FIRST), kernelSample(11, FIRST)];
    expect(stacksOf(records)).toEqual({ stacks: [WHOLE, WHOLE], counted: [] });
  });

  test('a deferred sample is completed once where several events report its user part', () => {
    const records = [
      kernelSample(11, FIRST),
      userPart(11, FIRST),
      kernelSample(11, SECOND),
      userPart(11, FIRST, [USER_CALLER]),
      userPart(11, SECOND),
    ];
    expect(stacksOf(records)).toEqual({ stacks: [WHOLE, WHOLE], counted: [] });
  });

  test('a sample keeps the kernel part, and is counted, where the record never comes', () => {
    const records = [
      kernelSample(11, FIRST), // given up by the thread's next cookie,
      kernelSample(11, SECOND), // by the end,
      kernelSample(12, FIRST), // by the record of another cookie
      userPart(12, SECOND),
      userPart(13, FIRST),
    ];
    expect(stacksOf(records)).toEqual({
      stacks: [IN_KERNEL, IN_KERNEL, IN_KERNEL],
      counted: [missing(3, 'thread 11')],
    });
  });

  test.each([[[]], [[USER]]])(
    'a sample keeps the kernel part where the record has only %j',
    (callchain) => {
      const records = [kernelSample(11, FIRST), userPart(11, FIRST, callchain)];
      expect(stacksOf(records)).toEqual({
        stacks: [IN_KERNEL],
        counted: [missing(1, 'thread 11')],
      });
    },
  );

  test('complete callchains stay as they are', () => {
    const complete = sampleOf(11, [KERNEL, KERNEL_IP, USER, USER_IP, USER_CALLER]);
    const records = [complete, userPart(11, FIRST, [USER_CALLER])];
    const stacks = [[USER_CALLER - 1, USER_IP, KERNEL_IP]];
    expect(stacksOf(records)).toEqual({ stacks, counted: [] });
  });

  test('a deferred callchain is looked up in the mappings at the time of its record', () => {
    const mmap = () =>
      record(PERF_RECORD.MMAP, 2, (out) => {
        out.u32(10).u32(11).u64(0x40_0000).u64(0x1_0000).u64(0x3000).text('/bin/a\0\0');
        out.u32(10).u32(11).u64(++time);
      });
    const visit = (cookie: bigint) => [kernelSample(11, cookie), userPart(11, cookie)];
    const records = [...visit(FIRST), mmap(), ...visit(SECOND)];
    const inFile = (address: number) => address - 0x40_0000 + 0x3000;
    const mapped = [inFile(USER_CALLER - 1), inFile(USER_IP), ...IN_KERNEL];
    expect(stacksOf(records)).toEqual({ stacks: [WHOLE, mapped], counted: [] });
  });
});

test('a stack that came whole later has the inlined calls of its frames', () => {
  const records = [kernelSample(11, FIRST), userPart(11, FIRST), kernelSample(11, SECOND)];
  const { stacks } = stacksOf([...records, userPart(11, SECOND)], undefined, USER_CALLER - 1);
  const expanded = [USER_CALLER - 1, ...WHOLE];
  expect(stacks).toEqual([expanded, expanded]);
});

test('the other counters of a group share the complete stack', () => {
  const PERF_FORMAT_ID = 4;
  const PERF_FORMAT_GROUP = 8;
  const { IDENTIFIER, STREAM_ID } = PERF_SAMPLE;
  const fields = {
    sampleType: IDENTIFIER | IP | TID | TIME | STREAM_ID | READ | CALLCHAIN,
    readFormat: PERF_FORMAT_ID | PERF_FORMAT_GROUP,
    flags: { sampleIdAll: true, deferCallchain: true },
  };
  const leader = newAttr({ ...fields, samplePeriod: 1000 });
  const member = newAttr({ ...fields, config: 1n });
  const sample = record(PERF_RECORD.SAMPLE, 1, (out) => {
    out.u64(5).u64(KERNEL_IP).u32(10).u32(11).u64(1).u64(5);
    out.u64(2).u64(1000).u64(5).u64(30).u64(6);
    out.u64(4).u64(KERNEL).u64(KERNEL_IP).u64(USER_DEFERRED).u64(FIRST);
  });
  const later = record(PERF_RECORD.CALLCHAIN_DEFERRED, 2, (out) => {
    out.u64(FIRST).u64(1).u64(USER_IP).u32(10).u32(11).u64(2).u64(5).u64(5);
  });
  const attrs = [
    { attr: leader, ids: [5] },
    { attr: member, ids: [6] },
  ];
  const whole = [USER_IP, KERNEL_IP];
  expect(stacksOf([sample, later], attrs)).toEqual({ stacks: [whole, whole], counted: [] });
});

test('samples with unknown newer fields are counted, the others read', () => {
  const newer = newAttr({
    samplePeriod: 1000,
    sampleType: PERF_SAMPLE.IDENTIFIER + TIME + 2 ** 26,
  });
  const known = newAttr({ samplePeriod: 1000, sampleType: PERF_SAMPLE.IDENTIFIER | IP | TIME });
  const sample = (id: number) =>
    record(PERF_RECORD.SAMPLE, 2, (out) => out.u64(id).u64(USER_IP).u64(++time).zeros(16));
  const cut = record(PERF_RECORD.SAMPLE, 2, (out) => out.u64(6).u64(USER_IP));
  const attrs = [
    { attr: newer, ids: [5] },
    { attr: known, ids: [6] },
  ];
  expect(stacksOf([sample(5), sample(6), sample(5), cut], attrs)).toEqual({
    stacks: [[USER_IP]],
    counted: [
      {
        code: 'event-fields-newer',
        count: 1,
        detail: 'sample_type 0x4010004',
      },
      // It ends before its time, so it comes out first.
      { code: 'sample-too-short', count: 1, detail: '' },
      {
        code: 'sample-fields-newer',
        count: 2,
        detail: 'sample_type 0x4010004',
      },
    ],
  });
});
