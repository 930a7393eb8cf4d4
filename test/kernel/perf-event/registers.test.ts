import { describe, expect, test } from 'vitest';
import { ByteWriter } from '../../../src/base/byte-writer.ts';
import {
  type RegisterArchitecture,
  registerArchitectureOf,
  registerName,
} from '../../../src/kernel/perf-event/register-names.ts';
import { formatRegisters, readRegisters } from '../../../src/kernel/perf-event/registers.ts';
import { viewOf } from '../../helpers/record-builder.ts';

describe('register names', () => {
  // Numbers from arch/*/include/uapi/asm/perf_regs.h: the first and the last of each run.
  test.each<[RegisterArchitecture, Record<number, string>]>([
    [
      'x86',
      {
        0: 'AX',
        3: 'DX',
        7: 'SP',
        8: 'IP',
        9: 'FLAGS',
        15: 'GS',
        16: 'R8',
        23: 'R15',
        24: 'reg24',
      },
    ],
    ['x86', { 31: 'reg31', 32: 'XMM0', 33: 'XMM0', 34: 'XMM1', 63: 'XMM15' }],
    ['arm', { 0: 'r0', 10: 'r10', 11: 'fp', 12: 'ip', 13: 'sp', 14: 'lr', 15: 'pc', 16: 'reg16' }],
    ['arm64', { 0: 'x0', 29: 'x29', 30: 'lr', 31: 'sp', 32: 'pc', 33: 'reg33', 46: 'vg' }],
    ['riscv', { 0: 'pc', 1: 'ra', 2: 'sp', 5: 't0', 8: 's0', 10: 'a0', 18: 's2', 28: 't3' }],
    ['riscv', { 27: 's11', 31: 't6', 32: 'reg32' }],
    ['s390', { 0: 'R0', 15: 'R15', 16: 'FP0', 31: 'FP15', 32: 'MASK', 33: 'PC', 34: 'reg34' }],
    ['powerpc', { 0: 'r0', 31: 'r31', 32: 'nip', 36: 'link', 39: 'softe', 44: 'mmcra' }],
    ['powerpc', { 45: 'mmcr0', 50: 'sier3', 51: 'pmc1', 56: 'pmc6', 57: 'sdar', 58: 'siar' }],
    ['loongarch', { 0: 'PC', 1: '%r1', 31: '%r31', 32: 'reg32' }],
    ['mips', { 0: 'PC', 1: '$1', 26: '$26', 31: '$31', 32: 'reg32' }],
  ])('register names of %s: %j', (architecture, names) => {
    for (const [number, name] of Object.entries(names)) {
      expect(registerName(architecture, Number(number)), `register ${number}`).toBe(name);
    }
  });

  test('register names are chosen by uname -m', () => {
    const machines = {
      ...{ x86_64: 'x86', i686: 'x86', aarch64: 'arm64', armv7l: 'arm', riscv64: 'riscv' },
      ...{ s390x: 's390', ppc64le: 'powerpc', ppc: 'powerpc', loongarch64: 'loongarch' },
      ...{ mips64: 'mips', sparc64: null },
    };
    for (const [machine, architecture] of Object.entries(machines)) {
      expect(registerArchitectureOf(machine), machine).toBe(architecture);
    }
    expect(registerArchitectureOf(null)).toBeNull();
    expect(registerName(null, 7)).toBe('reg7');
  });
});

describe('register dump', () => {
  test.each([true, false])(
    'a register dump has one value per bit of the mask, all 64 bits exact (little-endian %s)',
    (littleEndian) => {
      const out = new ByteWriter(littleEndian).u64(99).u64(0x7ffc_0000_1234n);
      const bytes = out.u64(0xffff_ffff_ffff_fff1n).u64(1).finish();
      // SP, R15 and the lower half of XMM15
      const mask = (1n << 7n) | (1n << 23n) | (1n << 62n);
      const dump = { abi: 2, offset: 8, count: 3 };
      const registers = readRegisters(viewOf(bytes), dump, mask, 'x86', littleEndian);
      expect(registers).toEqual([
        { name: 'SP', value: 0x7ffc_0000_1234n },
        { name: 'R15', value: 0xffff_ffff_ffff_fff1n },
        { name: 'XMM15', value: 1n },
      ]);
      expect(formatRegisters(2, registers)).toBe(
        'ABI:2    SP:0x7ffc00001234   R15:0xfffffffffffffff1 XMM15:0x1',
      );
    },
  );

  test('a register dump without an ABI has no registers, whatever the mask', () => {
    const dump = { abi: 0, offset: 8, count: 0 };
    expect(readRegisters(viewOf(new Uint8Array(8)), dump, 0xffn, 'x86', true)).toEqual([]);
    expect(formatRegisters(0, [])).toBe('ABI:0');
  });
});
