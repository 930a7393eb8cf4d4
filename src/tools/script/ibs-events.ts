import type { PerfData } from '../../formats/perf-data/reader.ts';
import {
  amdFamilyAndModel,
  describeIbs,
  type IbsMachine,
  ibsKindOf,
} from '../../kernel/perf-event/ibs.ts';
import type { SampleContext } from '../../kernel/perf-event/sample-fields.ts';

/** The registers of a sample in lines; null for samples of other PMUs and without any. */
export type IbsDescriber = (context: SampleContext) => readonly string[] | null;

/**
 * Decodes what AMD's instruction-based sampling put into the raw data of samples. Which events are of its PMUs
 * and what their registers mean, the header says (PMU_MAPPINGS, CPUID, PMU_CAPS); null where it says
 * of none.
 */
export function readIbsEvents({ features }: PerfData): IbsDescriber | null {
  const cpu = amdFamilyAndModel(features.cpuId ?? '');
  const kinds = new Map(
    (features.pmuMappings ?? []).map(({ type, name }) => [type, ibsKindOf(name)] as const),
  );
  if (cpu === null || ![...kinds.values()].some((kind) => kind !== null)) return null;
  const machines = {
    op: { ...cpu, ...capabilitiesOf('ibs_op', features.pmuCapabilities) },
    fetch: { ...cpu, ...capabilitiesOf('ibs_fetch', features.pmuCapabilities) },
  } satisfies Record<string, IbsMachine>;
  return ({ sample, attr }) => {
    const kind = kinds.get(attr.type) ?? null;
    if (kind === null || sample.rawOffset < 0) return null;
    return describeIbs(sample.view, sample.rawOffset, sample.rawLength, kind, machines[kind]);
  };
}

function capabilitiesOf(pmu: string, lists: PerfData['features']['pmuCapabilities']) {
  const names = lists?.find((list) => list.pmu === pmu)?.capabilities.map(({ name }) => name) ?? [];
  return {
    hasZen4Extensions: names.includes('zen4_ibs_extensions'),
    hasLoadLatency: names.includes('ldlat'),
  };
}
