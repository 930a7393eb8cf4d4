import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { encodeAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import { CLOCK_IDS } from '../../kernel/perf-event/clock-ids.ts';
import { PERF_FORMAT, PERF_SAMPLE } from '../../kernel/perf-event/constants.ts';
import type { NativeBinding } from '../../native/types.ts';

/** Features of this kernel's perf_event_open, found by asking; the version that brought it. */
export type KernelFeatures = {
  /** `PERF_FORMAT_LOST`, Linux 6.0. */
  readonly lost: boolean;
  /** `build_id` in MMAP2 records, Linux 5.12. */
  readonly buildId: boolean;
  /** `PERF_SAMPLE_WEIGHT_STRUCT`, Linux 5.12. */
  readonly weightStruct: boolean;
  /** `ksymbol` and `bpf_event`, Linux 5.1. */
  readonly ksymbol: boolean;
  readonly bpfEvent: boolean;
  /** `use_clockid`, Linux 4.1. */
  readonly clockid: boolean;
  /** `PERF_SAMPLE_READ` together with `inherit`, Linux 6.12. */
  readonly inheritedRead: boolean;
  /**
   * `inherit_stat`, Linux 2.6.31. That a kernel takes it does not mean that it writes the READ record
   * of an exiting task. 6.18 does; some older ones are said to take the task for dead too early.
   */
  readonly inheritStat: boolean;
  /** `PERF_SAMPLE_CGROUP`, Linux 5.7 with `CONFIG_CGROUP_PERF`. */
  readonly cgroups: boolean;
};

const NONE: KernelFeatures = {
  lost: false,
  buildId: false,
  weightStruct: false,
  ksymbol: false,
  bpfEvent: false,
  clockid: false,
  inheritedRead: false,
  inheritStat: false,
  cgroups: false,
};

const ALL: KernelFeatures = {
  lost: true,
  buildId: true,
  weightStruct: true,
  ksymbol: true,
  bpfEvent: true,
  clockid: true,
  inheritedRead: true,
  inheritStat: true,
  cgroups: true,
};

/** Asks for all of them at once, and only where that fails for each by itself. */
export function detectKernelFeatures(probe: NativeBinding['probeEvent']): KernelFeatures {
  if (opens(ALL)) return ALL;
  return {
    lost: opens({ ...NONE, lost: true }),
    buildId: opens({ ...NONE, buildId: true }),
    weightStruct: opens({ ...NONE, weightStruct: true }),
    ksymbol: opens({ ...NONE, ksymbol: true }),
    bpfEvent: opens({ ...NONE, bpfEvent: true }),
    clockid: opens({ ...NONE, clockid: true }),
    inheritedRead: opens({ ...NONE, inheritedRead: true }),
    inheritStat: opens({ ...NONE, inheritStat: true }),
    cgroups: opens({ ...NONE, cgroups: true }),
  };

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
      clockid: features.clockid ? CLOCK_IDS.monotonic : 0,
      flags: {
        disabled: true,
        inherit: features.inheritedRead || features.inheritStat,
        inheritStat: features.inheritStat,
        excludeKernel: true,
        excludeHv: true,
        sampleIdAll: true,
        mmap: true,
        mmap2: true,
        comm: true,
        buildId: features.buildId,
        ksymbol: features.ksymbol,
        bpfEvent: features.bpfEvent,
        useClockid: features.clockid,
      },
    });
    return probe(encodeAttr(attr), 0, -1).errno === 0;
  }
}
