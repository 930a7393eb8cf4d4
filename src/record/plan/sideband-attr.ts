import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';
import { type EventAttr, newAttr } from '../../kernel/perf-event/attr.ts';
import type { RecordSettings } from '../../options/record.ts';
import type { KernelFeatures } from '../../system/kernel/kernel-features.ts';
import { COMMON_SAMPLE_TYPE, clockFields, commonReadFormat } from './common-attr.ts';

/**
 * The dummy event: it counts nothing, and its rings carry what must not be lost. Since it sees no
 * kernel code, it leaves it out, and so opens at every paranoid level.
 *
 * With `mapsData` it reports mappings without code as well: perf finds the unwind tables of a library,
 * which linkers put in front of the code, only through these.
 */
export function sidebandAttr(
  options: RecordSettings,
  features: KernelFeatures,
  { inherit, mapsData }: { readonly inherit: boolean; readonly mapsData: boolean },
): EventAttr {
  const { clockid, useClockid } = clockFields(options, features);
  return newAttr({
    type: PERF_TYPE.SOFTWARE,
    config: BigInt(PERF_COUNT_SW.DUMMY),
    samplePeriod: 1,
    sampleType: COMMON_SAMPLE_TYPE,
    readFormat: commonReadFormat(features),
    clockid,
    flags: {
      inherit,
      sampleIdAll: true,
      useClockid,
      excludeKernel: true,
      excludeHv: true,
      mmap: true,
      mmap2: true,
      mmapData: mapsData || options.fields?.dataAddresses === true,
      buildId: features.buildId && options.buildIds !== false,
      comm: true,
      commExec: true,
      task: true,
      contextSwitch: options.switches === true,
      namespaces: options.namespaces === true,
      cgroup: options.cgroups === true,
      ksymbol: features.ksymbol,
      bpfEvent: features.bpfEvent,
    },
  });
}
