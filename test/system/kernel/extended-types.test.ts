import { describe, expect, it } from 'vitest';
import { takesExtendedTypes } from '../../../src/system/kernel/machine-events.ts';
import { BIG_LITTLE, HYBRID } from '../../kernel/events/fake-machines.ts';
import { fakeKernel } from './fake-kernel.ts';

const arm = BIG_LITTLE.pmus.filter(({ name }) => name.startsWith('armv8'));
const x86 = HYBRID.pmus.filter(({ name }) => name.startsWith('cpu_'));

describe('types of PMUs in the config of hardware events', () => {
  it('extended types are taken where the kernel opens cycles of each PMU', () => {
    const kernel = fakeKernel(() => '');
    expect(takesExtendedTypes(arm, kernel.probe)).toBe(true);
    expect(kernel.asked.map(({ type, config }) => [type, config])).toEqual([
      [0, 8n << 32n],
      [0, 9n << 32n],
    ]);
  });

  it.each(['ENOENT', 'EINVAL'])('extended types are not taken where the answer is %s', (code) => {
    expect(takesExtendedTypes(arm, fakeKernel(() => code).probe)).toBe(false);
  });

  it('extended types count as taken where the kernel refuses for want of rights', () => {
    expect(takesExtendedTypes(arm, fakeKernel(() => 'EACCES').probe)).toBe(true);
  });

  it('extended types are not asked about on x86, where the kernel that knows two kinds of cores takes them', () => {
    const kernel = fakeKernel(() => 'ENOENT');
    expect(takesExtendedTypes(x86, kernel.probe)).toBe(true);
    expect(kernel.asked).toEqual([]);
  });
});
