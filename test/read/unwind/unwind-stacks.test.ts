import { describe, expect, it, test } from 'vitest';
import { memorySource } from '../../../src/base/byte-source.ts';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import { writeString } from '../../../src/formats/perf-data/feature-encoders.ts';
import { FEATURE } from '../../../src/formats/perf-data/features.ts';
import { openPerfData } from '../../../src/formats/perf-data/reader.ts';
import { newAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_RECORD, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import { RecordEncoder } from '../../../src/kernel/perf-event/encode.ts';
import { Pipeline } from '../../../src/read/pipeline.ts';
import { StackUnwinder } from '../../../src/read/unwind/unwind-stacks.ts';
import { generalRegisterMask } from '../../../src/record/plan/dumped-registers.ts';
import { perfDataFile, record } from '../../helpers/record-builder.ts';

const { IP, TID, TIME, CALLCHAIN, REGS_USER, STACK_USER } = PERF_SAMPLE;
const ABI_32 = 1n;
const ABI_64 = 2n;
const KERNEL = -128n;
const USER = -512n;
/** JIT code: it has no table, so its frames are followed by frame pointer. */
const CODE = 0x7f0000000000n;
const STACK = 0x7ffd00000000n;
const CODE_32 = 0xf7d00000n;
const STACK_32 = 0xffad0000n;

type Machine = {
  readonly name: string;
  readonly mask: bigint;
  readonly registers: number;
  /** Places of frame pointer, stack pointer and ip in the dump. */
  readonly places: readonly [number, number, number];
  /** Whether the process has 32-bit code; the kernel may have 64. */
  readonly is32?: boolean;
};

const X86_64: Machine = {
  name: 'x86-64',
  mask: generalRegisterMask('x64'),
  registers: 20,
  places: [6, 7, 8],
};
const AARCH64: Machine = {
  name: 'aarch64',
  mask: generalRegisterMask('arm64'),
  registers: 33,
  places: [29, 31, 32],
};
const I386: Machine = { ...X86_64, name: 'i386 below a kernel of 64 bits', is32: true };
const ARM: Machine = {
  ...AARCH64,
  name: 'arm below a kernel of 64 bits',
  is32: true,
  places: [11, 13, 15],
};

type Sample = {
  /** Words from the stack pointer upwards. */
  readonly stack: readonly bigint[];
  /** Word of the stack that the frame pointer points to. */
  readonly framePointer: number;
  readonly ip?: bigint;
  readonly callchain?: readonly bigint[];
};

/** A recording of one sample, read: its stack, outermost first, as offsets into the code. */
function read(machine: Machine, sample: Sample, arch?: string) {
  const sampleType = IP | TID | TIME | CALLCHAIN | REGS_USER | STACK_USER;
  const is32 = machine.is32 === true;
  const [code, stack] = is32 ? [CODE_32, STACK_32] : [CODE, STACK];
  const wordBytes = is32 ? 4 : 8;
  const size = wordBytes * sample.stack.length;
  const attr = newAttr({
    samplePeriod: 1000,
    sampleType,
    sampleRegsUser: machine.mask,
    sampleStackUser: size,
    flags: { sampleIdAll: true },
  });
  const encoder = new RecordEncoder({ littleEndian: true, sampleType, sampleIdAll: true });
  const ip = sample.ip ?? code + 0x100n;
  const registers = new Array<bigint>(machine.registers).fill(0n);
  const [fpAt, spAt, ipAt] = machine.places;
  registers[fpAt] = stack + BigInt(wordBytes * sample.framePointer);
  registers[spAt] = stack;
  registers[ipAt] = ip;
  const name = new ByteWriter();
  if (arch !== undefined) writeString(name, arch);
  const bytes = perfDataFile({
    features: arch === undefined ? [] : [[FEATURE.ARCH, name.finish()]],
    attrs: [{ attr, ids: [5] }],
    records: [
      encoder.comm({ pid: 1, tid: 1, comm: 'app' }, { time: 1 }),
      encoder.mmap(
        { pid: 1, tid: 1, address: code, length: 0x10000, fileOffset: 0, filename: '//anon' },
        { time: 1 },
      ),
      record(PERF_RECORD.SAMPLE, 2, (out) => {
        out.u64(ip).u32(1).u32(1).u64(10);
        const chain = sample.callchain ?? [];
        out.u64(chain.length);
        for (const entry of chain) out.u64(BigInt.asUintN(64, entry));
        out.u64(is32 ? ABI_32 : ABI_64);
        for (const register of registers) out.u64(register);
        out.u64(size);
        for (const word of sample.stack) {
          if (is32) out.u32(Number(word));
          else out.u64(word);
        }
        out.u64(size);
      }),
    ],
  });
  const data = openPerfData(memorySource(bytes));
  const pipeline = Pipeline.open(data);
  pipeline.unwinder = new StackUnwinder(data, pipeline.processes, () => null);
  pipeline.run();
  const built = pipeline.builder.finish({
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
  const { profile, completeness } = pipeline.roots.finish(built);
  const { stacks, frames, funcs, strings, samples } = profile;
  const path: string[] = [];
  for (let row = samples.stack[0]; row !== -1; row = stacks.prefix[row]) {
    const frame = stacks.frame[row];
    const name = strings[funcs.name[frames.func[frame]]];
    const address = BigInt(frames.address[frame]);
    const offset = address < 0n ? address : address - code;
    path.unshift(name === '[unknown]' ? offset.toString(16) : name);
  }
  return { path: path.join(' '), completeness, diagnostics: data.diagnostics.entries() };
}

describe.each([X86_64, AARCH64])('the copied stack of a sample on $name', (machine) => {
  it('a copied stack becomes its callchain, with callers looked up where they call', () => {
    const stack = [STACK + 24n, CODE + 0x200n, 0n, 0n, CODE + 0x300n];
    const { path, completeness } = read(machine, { stack, framePointer: 0 });
    expect(path).toBe('2ff 1ff 100');
    expect(completeness).toMatchObject({ samples: 1, complete: 1, cut: [] });
  });

  it('a chain keeps the kernel part in front', () => {
    const stack = [0n, CODE + 0x200n];
    const callchain = [KERNEL, -0x7f000000n];
    const { path } = read(machine, { stack, framePointer: 0, callchain });
    expect(path).toBe('1ff 100 -7f000000');
  });

  it('a stack dump that ends too early gets a marker', () => {
    const stack = [STACK + 8000n, CODE + 0x200n];
    const { path, completeness } = read(machine, { stack, framePointer: 0 });
    expect(path).toBe('[truncated] 1ff 100');
    expect(completeness?.complete).toBe(0);
    expect(completeness?.cut).toMatchObject([{ reason: 'stack copy too short', samples: 1 }]);
  });

  it("a stack dump continues with the kernel's frame pointers from a common address", () => {
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

  it.each([
    ['no address', 0xdeadbeefdeadbeefn],
    ['in no mapping', 0n],
    ['a context marker', 0xffffffffffffffffn],
  ])('the copied stack is no more than its ip where that is %s', (_, ip) => {
    const stack = [0x4141414141414141n, 0x4242424242424242n];
    const { path } = read(machine, { stack, framePointer: 0, ip });
    expect(path.replace('[truncated] ', '')).not.toContain(' ');
  });
});

describe.each([I386, ARM])('the copied stack of a sample on $name', (machine) => {
  it('a copied stack becomes its callchain', () => {
    const stack = [STACK_32 + 12n, CODE_32 + 0x200n, 0n, 0n, CODE_32 + 0x300n, 0n];
    const { path, completeness, diagnostics } = read(machine, { stack, framePointer: 0 });
    expect(path).toBe('2ff 1ff 100');
    expect(completeness).toMatchObject({ samples: 1, complete: 1, cut: [] });
    expect(diagnostics).toEqual([]);
  });

  it('the copied stack has the ip of user code behind the kernel part, also where nothing leads on', () => {
    const callchain = [KERNEL, -0x7f000000n];
    const { path, completeness } = read(machine, { stack: [0n, 0n], framePointer: 0, callchain });
    expect(path).toMatch(/^(\[truncated\] )?100 -7f000000$/);
    expect(completeness?.samples).toBe(1);
  });
});

describe('a frame of Arm code with 32 bits', () => {
  it('a frame of 32-bit Arm code may have its frame pointer at the saved link register, as GCC sets it', () => {
    const stack = [0n, STACK_32 + 16n, CODE_32 + 0x200n, 0n, CODE_32 + 0x300n, 0n];
    // Word 2 is the link register; the caller's frame pointer leads to word 4, another one.
    expect(read(ARM, { stack, framePointer: 2 }).path).toBe('2ff 1ff 100');
  });

  it('return addresses of 32-bit Arm code lose the Thumb bit', () => {
    const stack = [0n, CODE_32 + 0x201n];
    expect(read(ARM, { stack, framePointer: 0 }).path).toBe('1ff 100');
  });
});

test('a stack dump of an architecture without an unwinder leaves the user ip', () => {
  // riscv has its pc at 0, and sp at 2.
  const riscv: Machine = { name: 'riscv', mask: 0xffff_ffffn, registers: 32, places: [8, 2, 0] };
  const callchain = [KERNEL, -0x7f000000n];
  const sample = { stack: [0n, CODE + 0x200n], framePointer: 0, callchain };
  const { path, completeness } = read(riscv, sample, 'riscv64');
  expect(path).toBe('[truncated] 100 -7f000000');
  expect(completeness?.cut).toMatchObject([
    { reason: 'stacks of this architecture are not unwound', samples: 1 },
  ]);
});
