import { describe, expect, it } from 'vitest';
import { autoStackBytes } from '../../../src/record/plan/call-graph.ts';
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

describe('the registers for unwinding', () => {
  it("the registers for unwinding are perf's, by architecture", () => {
    expect(generalRegisterMask('x64')).toBe(0xff0fffn);
    expect(generalRegisterMask('arm64')).toBe(0x1ffffffffn);
  });
});
