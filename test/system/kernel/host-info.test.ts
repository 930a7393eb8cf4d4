import { expect, test } from 'vitest';
import { parseCpuId } from '../../../src/system/kernel/host-info.ts';

const CPUINFO = `processor	: 0
vendor_id	: AuthenticAMD
cpu family	: 25
model		: 17
model name	: AMD EPYC 9B14
stepping	: 1
microcode	: 0xffffffff
`;

test('parseCpuId joins vendor, family, model and stepping as the CPUID section of perf has them', () => {
  expect(parseCpuId(CPUINFO)).toBe('AuthenticAMD,25,17,1');
});

test('parseCpuId finds nothing where /proc/cpuinfo describes another architecture', () => {
  expect(parseCpuId('processor\t: 0\nCPU implementer\t: 0x41\n')).toBeNull();
  expect(parseCpuId('')).toBeNull();
});
