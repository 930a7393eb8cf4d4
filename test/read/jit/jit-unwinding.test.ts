import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import { type AttrFields, newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { type OpenedProfile, openProfile } from '../../../src/read/open-profile.ts';
import {
  generalRegisterMask,
  leafRegisterMask,
} from '../../../src/record/plan/dumped-registers.ts';
import { rewriteRecording } from '../../../src/rewrite/rewrite-recording.ts';
import { cfa, EH_FRAME_ADDRESS, ehFrame } from '../../code/unwind/cfi-bytes.ts';
import { perfDataFile, record } from '../../helpers/record-builder.ts';

const { IP, TID, TIME, CALLCHAIN, REGS_USER, STACK_USER, REGS_INTR } = PERF_SAMPLE;
const [KERNEL, USER] = [-128n, -512n];
/** No process has such a pid. */
const PID = 2 ** 22 + process.pid;
const CODE = 0x7f0000000000;
const CODE_BYTES = 0x100;
const STACK = 0x7ffd00000000;
/** The recording's start, on the clock of all times. */
const BEGIN = 1000;
const RBX = 3;
/** rbp, rsp and rip in what is recorded of x86-64. */
const [RBP_AT, RSP_AT, RIP_AT] = [6, 7, 8] as const;

let directory = '';
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'jit-')));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** One function: the place of its code, and the bytes of its frame; null: the JIT says nothing. */
type Load = { time: number; name: string; at: number; frameBytes: number | null };

function dumpOf(loads: readonly Load[], header: Uint8Array): Uint8Array {
  const out = new ByteWriter().u32(0x4a695444).u32(1).u32(40).u32(62).u32(0).u32(PID).u64(0).u64(0);
  const add = (id: number, time: number, body: () => void) => {
    const at = out.length;
    out
      .u32(id)
      .u32(0)
      .u64(BEGIN + time);
    body();
    out.patchU32(at + 4, out.length - at);
  };
  for (const { time, name, at, frameBytes } of loads) {
    const start = EH_FRAME_ADDRESS - CODE_BYTES;
    const program = [cfa.defOffset((frameBytes ?? 0) + 8), cfa.offset(RBX, -16)];
    const { bytes } = ehFrame([{ start, size: CODE_BYTES, program }]);
    const tables = frameBytes === null ? new Uint8Array(0) : bytes;
    add(4, time, () => {
      const size = tables.length + header.length;
      out.u64(size).u64(header.length).u64(size).bytes(tables).bytes(header);
    });
    add(0, time, () => {
      out.u32(PID).u32(PID).u64(at).u64(at).u64(CODE_BYTES).u64(0).text(name).u8(0);
      out.bytes(new Uint8Array(CODE_BYTES));
    });
  }
  return out.finish();
}

/** Samples with callchains and copies of `stack`, of a program that has mapped a jitdump; `fields`: its registers. */
function fileOf(
  dump: string,
  fields: { readonly sampleType: number } & AttrFields,
  stack: readonly number[],
  samples: readonly Uint8Array[],
): Uint8Array {
  const sampleType = IP | TID | TIME | CALLCHAIN | STACK_USER | fields.sampleType;
  const attr = newAttr({
    ...fields,
    type: 1,
    samplePeriod: 1000,
    sampleType,
    sampleStackUser: 8 * stack.length,
    clockid: 1,
    flags: { sampleIdAll: true, useClockid: true },
  });
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  const map = (address: number, filename: string) =>
    encoder.mmap(
      { pid: PID, tid: PID, address: BigInt(address), length: 0x10000, fileOffset: 0, filename },
      { time: BEGIN },
    );
  const mapped = [map(0x10000000, dump), map(CODE, '//anon')];
  return perfDataFile({ attrs: [{ attr, ids: [5] }], records: [...mapped, ...samples] });
}

/** A recording of samples at these times, all with the same ip and the same words on the stack. */
function recordingOf(dump: string, times: readonly number[], stack: readonly number[]): Uint8Array {
  const registers = new Array<number>(20).fill(0);
  registers[RBP_AT] = STACK + 1;
  registers[RSP_AT] = STACK;
  registers[RIP_AT] = CODE + 0x10;
  const sample = (time: number) =>
    record(PERF_RECORD.SAMPLE, 2, (out) => {
      out
        .u64(CODE + 0x10)
        .u32(PID)
        .u32(PID)
        .u64(BEGIN + time)
        .u64(0)
        .u64(2);
      for (const register of registers) out.u64(register);
      out.u64(8 * stack.length);
      for (const word of stack) out.u64(word);
      out.u64(8 * stack.length);
    });
  const fields = { sampleType: REGS_USER, sampleRegsUser: generalRegisterMask('x64') };
  return fileOf(dump, fields, stack, times.map(sample));
}

/** A callchain by frame pointer, and whether the kernel was interrupted. */
type LeafSample = { time: number; chain: readonly number[]; isKernel?: boolean };

/** A recording of callchains by frame pointer with the same innermost words of the stack. */
function leafRecordingOf(
  dump: string,
  samples: readonly LeafSample[],
  stack: readonly number[],
): Uint8Array {
  const kernelIp = 0xffff_ffff_8100_0000n;
  const sample = ({ time, chain, isKernel = false }: LeafSample) =>
    record(PERF_RECORD.SAMPLE, isKernel ? 1 : 2, (out) => {
      const entries = [USER, ...chain.map(BigInt)];
      if (isKernel) entries.unshift(KERNEL, kernelIp);
      out
        .u64(isKernel ? kernelIp : chain[0])
        .u32(PID)
        .u32(PID)
        .u64(BEGIN + time)
        .u64(entries.length);
      for (const entry of entries) out.u64(BigInt.asUintN(64, entry));
      out.u64(8 * stack.length);
      for (const word of stack) out.u64(word);
      // The registers of an interrupted kernel are its own.
      out.u64(8 * stack.length).u64(2);
      for (const register of isKernel ? [1, 2, 3, 4] : [STACK + 0x1000, STACK, 0, 0])
        out.u64(register);
    });
  const fields = { sampleType: REGS_INTR, sampleRegsIntr: leafRegisterMask('x64') };
  return fileOf(dump, fields, stack, samples.map(sample));
}

/** The stack of each sample, outermost first. */
function stacksOf({ profile }: OpenedProfile): string[] {
  const { stacks, frames, funcs, strings, samples } = profile;
  return Array.from(samples.stack, (leaf) => {
    const names: string[] = [];
    for (let row = leaf; row !== -1; row = stacks.prefix[row]) {
      const func = frames.func[stacks.frame[row]];
      names.unshift(strings[funcs.name[func]]);
    }
    return names.join(' ');
  });
}

/** `.eh_frame_hdr` of no function, as V8 writes where it knows nothing. */
const EMPTY_HEADER = Uint8Array.of(1, 0x1b, 0x03, 0x3b, 0, 0, 0, 0, 0, 0, 0, 0);

test.each([
  ['alone', new Uint8Array(0)],
  ['with an empty search table', EMPTY_HEADER],
])('JIT code without frame pointers is unwound by its tables (%s)', async (_, header) => {
  const dump = join(directory, `jit-${PID}.dump`);
  const callers = { frameBytes: null, time: 5 };
  const loads: Load[] = [
    { ...callers, name: 'near', at: CODE + 0x1000 },
    { ...callers, name: 'far', at: CODE + 0x2000 },
    { time: 10, name: 'small', at: CODE, frameBytes: 16 },
    { time: 30, name: 'large', at: CODE, frameBytes: 32 },
    { time: 50, name: 'unknown', at: CODE, frameBytes: null },
  ];
  writeFileSync(dump, dumpOf(loads, header));
  const stack = [0, 0, CODE + 0x1010, 0, CODE + 0x2010, 0];
  const file = join(directory, 'perf.data');
  writeFileSync(file, recordingOf(dump, [20, 25, 40, 60], stack));

  const opened = await openProfile(file);
  const whole = ['near small', 'near small', 'far large'];
  const found = stacksOf(opened).map((path) => path.replace(/^\[.*?\] /, ''));
  expect(found).toEqual([...whole, 'unknown']);

  const unwound = join(directory, 'unwound.data');
  rewriteRecording(file, unwound, { dropStacks: true });
  expect(stacksOf(await openProfile(unwound)).slice(0, 3)).toEqual(whole);
});

test('the caller of code without a frame, which a callchain by frame pointer lacks, is found in the innermost words of the stack', async () => {
  const dump = join(directory, `jit-${PID}.dump`);
  const known = { frameBytes: null, time: 5 };
  const [NEAR, FAR] = [CODE + 0x1000, CODE + 0x2000];
  const loads: Load[] = [
    { ...known, name: 'near', at: NEAR },
    { ...known, name: 'far', at: FAR },
    { time: 10, name: 'leaf', at: CODE, frameBytes: 16 },
    { time: 50, name: 'framed', at: CODE, frameBytes: null },
  ];
  writeFileSync(dump, dumpOf(loads, new Uint8Array(0)));
  const ip = CODE + 0x10;
  const lacking = [ip, FAR + 0x10];
  const samples: LeafSample[] = [
    { time: 20, chain: lacking },
    { time: 21, chain: [ip, NEAR + 0x10, FAR + 0x10] },
    { time: 22, chain: [ip] },
    { time: 23, chain: lacking, isKernel: true },
    { time: 60, chain: lacking },
  ];
  const file = join(directory, 'perf.data');
  writeFileSync(file, leafRecordingOf(dump, samples, [0, 0, NEAR + 0x10, 0]));
  const ofUser = new Set(loads.map(({ name }) => name));
  const withoutKernel = (opened: OpenedProfile) =>
    stacksOf(opened).map((path) =>
      path
        .split(' ')
        .filter((name) => ofUser.has(name))
        .join(' '),
    );

  const found = withoutKernel(await openProfile(file));
  expect(found).toEqual([
    'far near leaf',
    'far near leaf',
    'near leaf',
    'far near leaf',
    'far framed',
  ]);

  const completed = join(directory, 'completed.data');
  rewriteRecording(file, completed, { dropStacks: true });
  const opened = await openProfile(completed);
  expect(withoutKernel(opened)).toEqual(found);
});

test('words of the stack that hold no caller, and a copy that ends before it, leave a callchain as it was', async () => {
  const dump = join(directory, `jit-${PID}.dump`);
  const far = { time: 5, name: 'far', at: CODE + 0x2000, frameBytes: null };
  writeFileSync(
    dump,
    dumpOf([far, { time: 10, name: 'leaf', at: CODE, frameBytes: 16 }], new Uint8Array(0)),
  );
  const file = join(directory, 'perf.data');
  const chain = [CODE + 0x10, CODE + 0x2010];
  for (const stack of [[0, 0, 0x123, 0], [0, 0], []]) {
    writeFileSync(file, leafRecordingOf(dump, [{ time: 20, chain }], stack));
    expect(stacksOf(await openProfile(file))).toEqual(['far leaf']);
  }
});
