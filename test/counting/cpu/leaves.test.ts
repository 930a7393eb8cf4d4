import { describe, expect, it } from 'vitest';
import { decodeMidr } from '../../../src/counting/cpu/arm.ts';
import { parseLeafDumps } from '../../../src/counting/cpu/leaf-dump.ts';
import { CpuidLeaves, leavesInRange } from '../../../src/counting/cpu/leaves.ts';

describe('dumps of leaves', () => {
  it('dumps of leaves are the same in both forms, and other lines are skipped', () => {
    const table = [
      '------[ CPUID Registers / Logical CPU #3 ]------',
      'allcpu: Package 0 / Core 1 / Thread 1: Valid, Virtual',
      'CPUID 0000000A: 08300805-00000000-0000000F-00008604',
      'CPUID 00000023: 000003FF-0000000F-00000000-00000000 [SL 01]',
    ];
    const raw = [
      'CPU 3:',
      '   0x0000000a 0x00: eax=0x08300805 ebx=0x00000000 ecx=0x0000000f edx=0x00008604',
      '   0x00000023 0x01: eax=0x000003ff ebx=0x0000000f ecx=0x00000000 edx=0x00000000',
    ];
    const [fromTable] = parseLeafDumps(table.join('\r\n'));
    const [fromRaw] = parseLeafDumps(raw.join('\n'));
    expect(fromTable).toEqual(fromRaw);
    expect(fromRaw?.cpu).toBe(3);
    expect(fromRaw?.leaves.find(0x23, 1)).toEqual({ eax: 0x3ff, ebx: 15, ecx: 0, edx: 0 });
    expect(fromRaw?.leaves.find(0x23)).toBeNull();
  });
});

describe('which leaves may be read', () => {
  it('CPUID leaves are read up to the last of each range: beyond it Intel answers with another leaf', () => {
    const starts = startLeaves({ basic: 0x0a, hypervisor: null, extended: 0x80000008 });
    const leaves = leavesInRange(starts).map(({ leaf }) => leaf);
    expect(leaves).toContain(0x0a);
    expect(leaves).not.toContain(0x0b);
    expect(leaves).toContain(0x80000008);
    expect(leaves).not.toContain(0x8000001b);
    expect(leaves).not.toContain(0x40000000);
  });

  it('CPUID leaves of the hypervisor are read only in a virtual machine, also where it gives no last leaf', () => {
    const leaves = (hypervisor: number) =>
      leavesInRange(startLeaves({ basic: 0, hypervisor, extended: 0 })).map(({ leaf }) => leaf);
    expect(leaves(0)).toEqual([0, 0x40000000]);
    expect(leaves(0x40000010)).toEqual([0, 0x40000000, 0x40000010]);
  });

  function startLeaves(last: { basic: number; hypervisor: number | null; extended: number }) {
    const leaves = new CpuidLeaves();
    const zero = { ebx: 0, ecx: 0, edx: 0 };
    leaves.set(0, 0, { eax: last.basic, ...zero });
    leaves.set(1, 0, { eax: 0, ...zero, ecx: last.hypervisor === null ? 0 : 2 ** 31 });
    leaves.set(0x40000000, 0, { eax: last.hypervisor ?? 0xffff, ...zero });
    leaves.set(0x80000000, 0, { eax: last.extended, ...zero });
    return leaves;
  }
});

describe('the main id register of arm64', () => {
  it('the main id register names the implementer and the core', () => {
    expect(decodeMidr('0x00000000413fd0c1\n')).toEqual({
      implementer: 'Arm',
      core: 'Neoverse N1',
      part: 0xd0c,
      variant: 3,
      revision: 1,
    });
    expect(decodeMidr('0x00000000610f0220')).toMatchObject({ implementer: 'Apple', core: null });
    expect(decodeMidr('')).toBeNull();
  });
});
