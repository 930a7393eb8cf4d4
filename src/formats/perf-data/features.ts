import type { ByteSource } from '../../base/byte-source.ts';
import type { FileSection } from './header.ts';

/**
 * Numbers of the header's feature sections, named as in perf (`HEADER_HOSTNAME`) and, from 128 on,
 * simpleperf, and one of our own. tools/perf/util/header.h
 */
export const FEATURE = {
  TRACING_DATA: 1,
  BUILD_ID: 2,
  HOSTNAME: 3,
  OSRELEASE: 4,
  VERSION: 5,
  ARCH: 6,
  NRCPUS: 7,
  CPUDESC: 8,
  CPUID: 9,
  TOTAL_MEM: 10,
  CMDLINE: 11,
  EVENT_DESC: 12,
  CPU_TOPOLOGY: 13,
  NUMA_TOPOLOGY: 14,
  BRANCH_STACK: 15,
  PMU_MAPPINGS: 16,
  GROUP_DESC: 17,
  AUXTRACE: 18,
  STAT: 19,
  CACHE: 20,
  SAMPLE_TIME: 21,
  MEM_TOPOLOGY: 22,
  CLOCKID: 23,
  DIR_FORMAT: 24,
  BPF_PROG_INFO: 25,
  BPF_BTF: 26,
  COMPRESSED: 27,
  CPU_PMU_CAPS: 28,
  CLOCK_DATA: 29,
  HYBRID_TOPOLOGY: 30,
  PMU_CAPS: 31,
  CPU_DOMAIN_INFO: 32,
  E_MACHINE: 33,
  CLN_SIZE: 34,
  SIMPLEPERF_FILE: 128,
  SIMPLEPERF_META_INFO: 129,
  SIMPLEPERF_DEBUG_UNWIND: 130,
  SIMPLEPERF_DEBUG_UNWIND_FILE: 131,
  SIMPLEPERF_FILE2: 132,
  SIMPLEPERF_ETM_BRANCH_LIST: 133,
  SIMPLEPERF_INIT_MAP: 134,
} as const;

const FEATURE_NAMES = new Map<number, string>(
  Object.entries(FEATURE).map(([name, feature]) => [feature, name]),
);

/** perf's name without `HEADER_`; else `UNKNOWN(200)`. */
export function featureName(feature: number): string {
  return FEATURE_NAMES.get(feature) ?? `UNKNOWN(${feature})`;
}

/**
 * The place of each feature's bytes. A file has them behind the data; in a pipe they are the payload
 * of HEADER_FEATURE records. Nothing is read until asked for.
 */
export class FeatureSections {
  readonly #source: ByteSource;
  readonly #sections: ReadonlyMap<number, FileSection>;

  constructor(source: ByteSource, sections: ReadonlyMap<number, FileSection>) {
    this.#source = source;
    this.#sections = sections;
  }

  /** Names of the features present, by number. */
  get names(): string[] {
    return [...this.#sections.keys()].sort((a, b) => a - b).map(featureName);
  }

  section(feature: number): FileSection | null {
    return this.#sections.get(feature) ?? null;
  }

  /** The section's bytes, cut at the end of the file; null if it is not there. */
  bytes(feature: number): Uint8Array | null {
    const section = this.#sections.get(feature);
    return section === undefined ? null : this.#source.read(section.offset, section.size);
  }
}
