import { describe, expect, it } from 'vitest';
import { commandWords } from '../../../src/base/words.ts';
import {
  autoStackBytes,
  chooseStacks,
  leafBytes,
  noticeOfWaits,
} from '../../../src/record/plan/call-graph.ts';
import { generalRegisterMask } from '../../../src/record/plan/dumped-registers.ts';

const MIB = 2 ** 20;

describe('call-graph=auto', () => {
  it.each([
    // Rings of 4 MiB hold 40 ms of the largest copies at perf's default rate.
    [4 * MIB, 4000, 24576],
    [4 * MIB, 100, 24576],
    [4 * MIB, 30_000, 3072],
    [4 * MIB, 99_999, 1024],
    // The limit of users without CAP_IPC_LOCK.
    [MIB / 4, 4000, 1024],
    [MIB / 4, 997, 6144],
  ])('copies into %i bytes at %i Hz: %i', (ringBytes, hz, bytes) => {
    expect(autoStackBytes(ringBytes, hz)).toBe(bytes);
  });
});

describe('stacks where nobody asks how', () => {
  const machine = { ringBytes: 4 * MIB, maxSampleRateHz: 100_000, machine: 'x64' };
  const node = { ...machine, runsJavaScript: true };
  const other = { ...machine, runsJavaScript: false };

  it('stacks are recorded by frame pointers of what runs JavaScript, and of nothing else', () => {
    expect(chooseStacks({}, node)).toMatchObject({ callGraph: 'fp,2080', isDefault: true });
    expect(chooseStacks({}, { ...node, machine: 'arm64' })).toMatchObject({ callGraph: 'fp' });
    expect(chooseStacks({}, other)).toMatchObject({ callGraph: 'none', dropsCopies: false });
  });

  it('stacks are unwound from dumps where JavaScript waits, and fit small rings', () => {
    const unwound = { callGraph: 'auto', stackSizeBytes: 24_576 };
    expect(chooseStacks({}, node)).toMatchObject({ ofWaits: unwound, dropsCopies: true });
    const { ofWaits } = chooseStacks({}, { ...node, ringBytes: MIB / 4 });
    expect(ofWaits).toEqual({ callGraph: 'auto', stackSizeBytes: 16_384 });
    expect(chooseStacks({}, other).ofWaits).toEqual({ callGraph: 'fp', stackSizeBytes: null });
  });

  it('copies of system calls are as deep as the functions of Node that read a file', () => {
    const ofCalls = (ringBytes: number) => chooseStacks({}, { ...node, ringBytes }).ofCalls;
    expect(ofCalls(16 * MIB).stackSizeBytes).toBe(12_288);
    expect(ofCalls(4 * MIB).stackSizeBytes).toBe(12_288);
    expect(ofCalls(MIB / 4).stackSizeBytes).toBe(1024);
  });

  it.each(['-', '/dev/stdout'])(
    'stacks are by frame pointers in the stream %s, waits too',
    (output) => {
      const asOthers = { callGraph: null, stackSizeBytes: null };
      const chosen = chooseStacks({ output }, node);
      expect(chosen).toMatchObject({ callGraph: 'fp', ofWaits: asOthers, dropsCopies: false });
    },
  );

  it.each(['none', 'fp', 'dwarf', 'auto,8192', 'lbr'] as const)(
    'the default gives way to %s',
    (callGraph) => {
      for (const facts of [{ ...node, machine: 'arm64' }, other]) {
        expect(chooseStacks({ callGraph }, facts)).toMatchObject({ callGraph, isDefault: false });
        const isKept = callGraph === 'none' || callGraph === 'lbr';
        expect(chooseStacks({ callGraph }, facts).ofWaits.callGraph).toBe(isKept ? 'fp' : null);
      }
    },
  );

  it('frame pointers of JavaScript come with a copy of the innermost frames that fits the ring, unless its registers are asked for', () => {
    const asked = { callGraph: 'fp' } as const;
    expect(chooseStacks(asked, node)).toMatchObject({ callGraph: 'fp,2080', dropsCopies: true });
    expect(chooseStacks(asked, other)).toMatchObject({ callGraph: 'fp', dropsCopies: false });
    const fields = { interruptRegs: ['ax'] };
    expect(chooseStacks({ ...asked, fields }, node)).toMatchObject({ callGraph: 'fp' });
    expect(chooseStacks({ ...asked, output: '-' }, node)).toMatchObject({ callGraph: 'fp' });
    expect(chooseStacks({ callGraph: 'fp,64', fields }, node).dropsCopies).toBe(false);
    expect([
      leafBytes(4 * MIB, 1000),
      leafBytes(4 * MIB, 4000),
      leafBytes(MIB / 4, 1000),
      leafBytes(MIB / 4, 10_000),
      leafBytes(MIB / 4, 99_999),
    ]).toEqual([8192, 2080, 6016, 128, 32]);
  });

  it('copies are small where samples come as fast as the program takes memory, or counts', () => {
    expect(chooseStacks({ memory: true }, node).callGraph).toBe('fp,64');
    expect(chooseStacks({ count: 1 }, node).callGraph).toBe('fp,64');
  });

  it('frame pointers that are asked for where JavaScript waits are answered by what they miss', () => {
    const waits = { callGraph: 'fp', offCpu: true } as const;
    expect(commandWords(noticeOfWaits(waits, true) ?? '')).toContain('-g: stacks of waits end');
    expect(noticeOfWaits({ offCpu: true }, true)).toBeNull();
    expect(noticeOfWaits({ callGraph: 'fp' }, true)).toBeNull();
    expect(noticeOfWaits(waits, false)).toBeNull();
  });

  it('copies of auto are what fits at the rate, and give way to frame pointers where no file is rewritten', () => {
    expect(chooseStacks({ callGraph: 'auto', freq: 30_000 }, other).callGraph).toBe('auto,3072');
    expect(chooseStacks({ callGraph: 'auto', freq: 'max' }, other).callGraph).toBe('auto,1024');
    expect(chooseStacks({ callGraph: 'auto', output: '-' }, other).callGraph).toBe('fp');
  });
});

describe('the registers for unwinding', () => {
  it("the registers for unwinding are perf's, by architecture", () => {
    expect(generalRegisterMask('x64')).toBe(0xff0fffn);
    expect(generalRegisterMask('arm64')).toBe(0x1ffffffffn);
  });
});
