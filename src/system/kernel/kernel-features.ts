import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { PERF_FORMAT, PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import type { NativeBinding } from '../../native/types.ts';

/** Features of this kernel's perf_event_open that Linux 5.4 lacks, found by asking; the version that brought it. */
export type KernelFeatures = {
  /** `PERF_FORMAT_LOST`, Linux 6.0. */
  readonly lost: boolean;
  /** `build_id` in MMAP2 records, Linux 5.12. */
  readonly buildId: boolean;
  /** `PERF_SAMPLE_WEIGHT_STRUCT`, Linux 5.12. */
  readonly weightStruct: boolean;
  /** `PERF_SAMPLE_READ` together with `inherit`, Linux 6.12. */
  readonly inheritedRead: boolean;
  /** `PERF_SAMPLE_CGROUP`, Linux 5.7 with `CONFIG_CGROUP_PERF`. */
  readonly cgroups: boolean;
};

/** Asks for all of them at once, and only where that fails for each by itself. */
export function detectKernelFeatures(probe: NativeBinding['probeEvent']): KernelFeatures {
  const all = featuresWhere(() => true);
  return opens(all)
    ? all
    : featuresWhere((name) => opens(featuresWhere((other) => other === name)));

  function opens(features: KernelFeatures): boolean {
    const attr = newAttr({
      type: PERF_TYPE.SOFTWARE,
      config: BigInt(PERF_COUNT_SW.DUMMY),
      samplePeriod: 1,
      sampleType:
        PERF_SAMPLE.IDENTIFIER |
        PERF_SAMPLE.TID |
        PERF_SAMPLE.TIME |
        (features.weightStruct ? PERF_SAMPLE.WEIGHT_STRUCT : 0) |
        (features.cgroups ? PERF_SAMPLE.CGROUP : 0) |
        (features.inheritedRead ? PERF_SAMPLE.READ : 0),
      readFormat: PERF_FORMAT.ID | (features.lost ? PERF_FORMAT.LOST : 0),
      flags: {
        disabled: true,
        inherit: features.inheritedRead,
        excludeKernel: true,
        excludeHv: true,
        sampleIdAll: true,
        mmap: true,
        mmap2: true,
        comm: true,
        buildId: features.buildId,
      },
    });
    return probe(encodeAttr(attr), 0, -1).errno === 0;
  }
}

function featuresWhere(has: (name: keyof KernelFeatures) => boolean): KernelFeatures {
  return {
    lost: has('lost'),
    buildId: has('buildId'),
    weightStruct: has('weightStruct'),
    inheritedRead: has('inheritedRead'),
    cgroups: has('cgroups'),
  };
}
