import { describe, expect, it } from 'vitest';
import type { EventAttr } from '../../../src/kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_SAMPLE } from '../../../src/kernel/perf-event/constants.ts';
import {
  detectKernelFeatures,
  type KernelFeatures,
} from '../../../src/system/kernel/kernel-features.ts';
import { fakeKernel, NEW_KERNEL } from './fake-kernel.ts';

/** What an attr uses of each feature; a kernel without it answers EINVAL. */
const USES: Readonly<Record<keyof KernelFeatures, (attr: EventAttr) => boolean>> = {
  lost: ({ readFormat }) => (readFormat & PERF_FORMAT.LOST) !== 0,
  buildId: ({ flags }) => flags.buildId,
  weightStruct: ({ sampleType }) => (sampleType & PERF_SAMPLE.WEIGHT_STRUCT) !== 0,
  inheritedRead: ({ flags, sampleType }) => flags.inherit && (sampleType & PERF_SAMPLE.READ) !== 0,
  cgroups: ({ sampleType }) => (sampleType & PERF_SAMPLE.CGROUP) !== 0,
};

const NAMES = Object.keys(USES) as (keyof KernelFeatures)[];

function kernelWithout(...missing: readonly (keyof KernelFeatures)[]) {
  return fakeKernel((attr) => (missing.some((name) => USES[name](attr)) ? 'EINVAL' : ''));
}

describe('features of the kernel', () => {
  it('kernel features are asked for in one question where the kernel has them all', () => {
    const { probe, asked } = kernelWithout();
    expect(detectKernelFeatures(probe)).toEqual(NEW_KERNEL);
    expect(asked).toHaveLength(1);
    expect(NAMES.filter((name) => !USES[name](asked[0]))).toEqual([]);
  });

  it.each(NAMES)('kernel features are found one by one: all but %s', (name) => {
    const { probe } = kernelWithout(name);
    expect(detectKernelFeatures(probe)).toEqual({ ...NEW_KERNEL, [name]: false });
  });

  it.each(NAMES)('kernel features are found one by one: only %s', (name) => {
    const { probe } = kernelWithout(...NAMES.filter((other) => other !== name));
    const none = Object.fromEntries(NAMES.map((other) => [other, false]));
    expect(detectKernelFeatures(probe)).toEqual({ ...none, [name]: true });
  });

  it('kernel features are asked for with an event that needs no privilege and does not run', () => {
    const { probe, asked } = kernelWithout(...NAMES);
    detectKernelFeatures(probe);
    expect(asked).toHaveLength(1 + NAMES.length);
    for (const { flags } of asked) {
      expect([flags.excludeKernel, flags.excludeHv, flags.disabled]).toEqual([true, true, true]);
    }
  });
});
