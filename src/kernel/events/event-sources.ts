import type { LibpfmSource } from './libpfm-source.ts';

/**
 * The events of this machine, handed in as data so that names resolve the same in a test, for
 * another machine and here. Properties may be read lazily: parsing `cycles` touches none of them.
 */
export type EventSources = {
  readonly pmus: readonly PmuDescription[];
  readonly tracepoints: TracepointSource;
  /** Absent: nobody looks for it. */
  readonly libpfm?: LibpfmSource;
  /**
   * The kernel takes the type of a core PMU in the upper half of a hardware event's config
   * (`PERF_PMU_CAP_EXTENDED_HW_TYPE`). On x86 wherever there are several, on arm since Linux 6.6.
   * Absent: it does. Looked at only where there are several.
   */
  readonly hasExtendedTypes?: boolean;
};

/** One folder of `/sys/bus/event_source/devices`. */
export type PmuDescription = {
  /** `cpu`, `armv8_pmuv3_0`, `uncore_imc_0`, `msr` … */
  readonly name: string;
  /** `perf_event_attr.type` of its events. */
  readonly type: number;
  /** `format/`: term -> bits of the attr, `umask` -> `config:8-15`. */
  readonly formats: ReadonlyMap<string, string>;
  /** `events/`: name -> terms, `cpu-cycles` -> `event=0x3c`; without its `.unit` and `.scale`. */
  readonly events: ReadonlyMap<string, string>;
  /** CPUs that answer for a PMU shared by several (`0,18`); null for all that has no such file. */
  readonly cpumask: string | null;
  /** CPUs that have this core PMU, where cores differ (`0-15`); null without such a file. */
  readonly cpus: string | null;
  /** `caps/`: `branches` -> `32`, `max_precise` -> `3`. */
  readonly caps: ReadonlyMap<string, string>;
};

/** The kernel's tracepoints. All but `isReadable` throw `FailedError` where they can't be read. */
export type TracepointSource = {
  /** Quietly: can names be read as things are? Nothing is mounted to find out. */
  isReadable(): boolean;
  /** The id that goes into `config`; null if there is no such tracepoint. */
  id(system: string, event: string): number | null;
  /** `block`, `sched`, `syscalls` …, sorted. */
  systems(): readonly string[];
  /** Tracepoints of one system, sorted; none if there is no such system. */
  events(system: string): readonly string[];
};

/**
 * A PMU of the CPU cores themselves: named `cpu`, or one that states which cores have it. The
 * others (uncore, msr, power …) reject `exclude_*` bits and count for no single task.
 */
export function isCorePmu(pmu: PmuDescription): boolean {
  return pmu.name === 'cpu' || pmu.cpus !== null;
}

/**
 * The PMUs of the kinds of cores, where a machine has several; empty on all other machines. `cpu_core`
 * and `cpu_atom` on x86, `armv8_cortex_a53` and `armv8_cortex_a72` or `armv8_pmuv3_0` and `_1` on arm.
 */
export function hybridPmus(sources: EventSources): readonly PmuDescription[] {
  const pmus = sources.pmus.filter(
    ({ name, cpus }) => CORE_PMU_NAME.test(name) && (cpus ?? '') !== '',
  );
  return pmus.length > 1 ? pmus : [];
}

/** Names of PMUs that may be those of one kind of core, so that only their `cpus` are read. */
const CORE_PMU_NAME = /^(?:cpu_(?:core|atom|lowpower)$|armv\d|apple_\w+_pmu$)/;
