import { parseCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { CoreType, ProfileMeta } from '../../profile/types.ts';

/** More than any machine has; each may list all CPUs there can be. */
const MOST_KINDS = 64;

/** The kinds of cores by the header's HYBRID_TOPOLOGY, for the profile; nothing without two of them. */
export function coreTypesOf({
  features,
}: Pick<PerfData, 'features'>): Pick<ProfileMeta, 'coreTypes'> {
  const coreTypes = (features.hybridPmus ?? [])
    .slice(0, MOST_KINDS)
    .flatMap(({ pmu, cpus }): CoreType[] => {
      const list = parseOrNull(cpus);
      return list === null ? [] : [{ name: pmu, cpus: list }];
    });
  return coreTypes.length < 2 ? {} : { coreTypes };
}

/** Null for what is no list of CPUs: the section may be damaged. */
function parseOrNull(list: string): number[] | null {
  try {
    return parseCpuList(list);
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}
