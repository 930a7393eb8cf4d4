import { describe, expect, it } from 'vitest';
import { memorySource } from '../../src/base/byte-source.ts';
import { openPerfData } from '../../src/perf-data/reader.ts';
import { newAttr } from '../../src/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../src/perf-event/constants.ts';
import { RecordEncoder } from '../../src/perf-event/encode.ts';
import { Pipeline } from '../../src/session/read/pipeline.ts';
import { StackUnwinder } from '../../src/session/read/unwind/unwind-stacks.ts';
import { userRegisterMask } from '../../src/session/record/call-graph.ts';
import { perfDataFile, record } from '../helpers/record-builder.ts';

const { IP, TID, TIME, CALLCHAIN, REGS_USER, STACK_USER } = PERF_SAMPLE;
const ABI_32 = 1n;
const ABI_64 = 2n;
const KERNEL = -128n;
const USER = -512n;
/** JIT code: it has no table, so its frames are followed by frame pointer. */
const CODE = 0x7f0000000000n;
const STACK = 0x7ffd00000000n;

type Machine = {
  readonly name: string;
  readonly mask: bigint;
  readonly registers: number;
  /** Places of frame pointer, stack pointer and ip in the dump. */
  readonly places: readonly [number, number, number];
};

const X86_64: Machine = {
  name: 'x86-64',
  mask: userRegisterMask('x64'),
  registers: 20,
  places: [6, 7, 8],
};
const AARCH64: Machine = {
  name: 'aarch64',
  mask: userRegisterMask('arm64'),
  registers: 33,
  places: [29, 31, 32],
};

type Sample = {
  /** Words from the stack pointer upwards. */
  readonly stack: readonly bigint[];
  /** Word of the stack that the frame pointer points to. */
  readonly framePointer: number;
  readonly ip?: bigint;
  readonly abi?: bigint;
  readonly callchain?: readonly bigint[];
};

/** A recording of one sample, read: its stack, outermost first, as offsets into the code. */
function read(machine: Machine, sample: Sample) {
  const sampleType = IP | TID | TIME | CALLCHAIN | REGS_USER | STACK_USER;
  const size = 8 * sample.stack.length;
  const attr = newAttr({
    samplePeriod: 1000,
    sampleType,
    sampleRegsUser: machine.mask,
    sampleStackUser: size,
    flags: { sampleIdAll: true },
  });
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  const ip = sample.ip ?? CODE + 0x100n;
  const registers = new Array<bigint>(machine.registers).fill(0n);
  const [fpAt, spAt, ipAt] = machine.places;
  registers[fpAt] = STACK + BigInt(8 * sample.framePointer);
  registers[spAt] = STACK;
  registers[ipAt] = ip;
  const bytes = perfDataFile({
    attrs: [{ attr, ids: [5] }],
    records: [
      encoder.comm({ pid: 1, tid: 1, comm: 'app' }, { time: 1 }),
      encoder.mmap(
        { pid: 1, tid: 1, address: CODE, length: 0x10000, fileOffset: 0, filename: '//anon' },
        { time: 1 },
      ),
      record(PERF_RECORD.SAMPLE, 2, (out) => {
        out.u64(ip).u32(1).u32(1).u64(10);
        const chain = sample.callchain ?? [];
        out.u64(chain.length);
        for (const entry of chain) out.u64(BigInt.asUintN(64, entry));
        out.u64(sample.abi ?? ABI_64);
        for (const register of registers) out.u64(register);
        out.u64(size);
        for (const word of sample.stack) out.u64(word);
        out.u64(size);
      }),
    ],
  });
  const data = openPerfData(memorySource(bytes));
  const pipeline = new Pipeline(data);
  pipeline.unwinder = new StackUnwinder(data, pipeline.processes, () => null);
  pipeline.run();
  const profile = pipeline.builder.finish({
    meta: {
      commandLine: [],
      hostname: null,
      kernel: null,
      arch: null,
      startTime: '0',
      clock: '',
      notes: [],
    },
    events: [],
    dsos: pipeline.processes.dsos.finish(),
    threads: pipeline.processes.finishThreads(),
    streams: [],
    losses: [],
  });
  const completeness = pipeline.roots.finish(profile);
  const { stacks, frames, funcs, strings, samples } = profile;
  const path: string[] = [];
  for (let row = samples.stack[0] as number; row !== -1; row = stacks.prefix[row] as number) {
    const frame = stacks.frame[row] as number;
    const name = strings[funcs.name[frames.func[frame] as number] as number] as string;
    const address = BigInt(frames.address[frame] as number);
    const offset = address < 0n ? address : address - CODE;
    path.unshift(name === '[unknown]' ? offset.toString(16) : name);
  }
  return { path: path.join(' '), completeness, diagnostics: data.diagnostics.entries() };
}

describe.each([X86_64, AARCH64])('the copied stack of a sample on $name', (machine) => {
  it('becomes its callchain, with callers looked up where they call', () => {
    const stack = [STACK + 24n, CODE + 0x200n, 0n, 0n, CODE + 0x300n];
    const { path, completeness } = read(machine, { stack, framePointer: 0 });
    expect(path).toBe('2ff 1ff 100');
    expect(completeness).toMatchObject({ samples: 1, complete: 1, cut: [] });
  });

  it('keeps the kernel part in front', () => {
    const stack = [0n, CODE + 0x200n];
    const callchain = [KERNEL, -0x7f000000n];
    const { path } = read(machine, { stack, framePointer: 0, callchain });
    expect(path).toBe('1ff 100 -7f000000');
  });

  it('gets a marker where the copy ends too early', () => {
    const stack = [STACK + 8000n, CODE + 0x200n];
    const { path, completeness } = read(machine, { stack, framePointer: 0 });
    expect(path).toBe('[truncated] 1ff 100');
    expect(completeness?.complete).toBe(0);
    expect(completeness?.cut).toMatchObject([{ reason: 'stack copy too short', samples: 1 }]);
  });

  it('goes on by the frame pointers that the kernel followed, from what both have', () => {
    const stack = [STACK + 8000n, CODE + 0x200n];
    const known = [USER, CODE + 0x100n, CODE + 0x200n, CODE + 0x300n, CODE + 0x400n];
    expect(read(machine, { stack, framePointer: 0, callchain: known }).path).toBe(
      '3ff 2ff 1ff 100',
    );
    const foreign = [USER, CODE + 0x100n, CODE + 0x300n, CODE + 0x400n];
    expect(read(machine, { stack, framePointer: 0, callchain: foreign }).path).toBe(
      '[truncated] 1ff 100',
    );
  });

  it('is left alone, and counted, where the code has 32 bits', () => {
    const stack = [0n, CODE + 0x200n];
    const { path, diagnostics } = read(machine, { stack, framePointer: 0, abi: ABI_32 });
    expect(path).toBe('100');
    expect(diagnostics.map(({ reason }) => reason)).toContain(
      'stacks of 32-bit code are not unwound',
    );
  });

  it.each([
    ['no address', 0xdeadbeefdeadbeefn],
    ['in no mapping', 0n],
    ['a context marker', 0xffffffffffffffffn],
  ])('is no more than its ip where that is %s', (_, ip) => {
    const stack = [0x4141414141414141n, 0x4242424242424242n];
    const { path } = read(machine, { stack, framePointer: 0, ip });
    expect(path.replace('[truncated] ', '')).not.toContain(' ');
  });
});
