// Which event an attr opens, by the kernel's numbers under its names: `PERF_TYPE_RAW` is `PERF_TYPE.RAW`.
// https://github.com/torvalds/linux/blob/v6.18/include/uapi/linux/perf_event.h
// They stand here and not with the other numbers of kernel/perf-event, because event texts, the period's
// model and imported texts know no attrs.

/** `perf_event_attr.type`; larger types are PMUs of the machine. */
export const PERF_TYPE = {
  HARDWARE: 0,
  SOFTWARE: 1,
  TRACEPOINT: 2,
  HW_CACHE: 3,
  RAW: 4,
  BREAKPOINT: 5,
} as const;

/** `attr.config` of hardware events. */
export const PERF_COUNT_HW = {
  CPU_CYCLES: 0,
  INSTRUCTIONS: 1,
  CACHE_REFERENCES: 2,
  CACHE_MISSES: 3,
  BRANCH_INSTRUCTIONS: 4,
  BRANCH_MISSES: 5,
  BUS_CYCLES: 6,
  STALLED_CYCLES_FRONTEND: 7,
  STALLED_CYCLES_BACKEND: 8,
  REF_CPU_CYCLES: 9,
} as const;

/** `attr.config` of software events. */
export const PERF_COUNT_SW = {
  CPU_CLOCK: 0,
  TASK_CLOCK: 1,
  PAGE_FAULTS: 2,
  CONTEXT_SWITCHES: 3,
  CPU_MIGRATIONS: 4,
  PAGE_FAULTS_MIN: 5,
  PAGE_FAULTS_MAJ: 6,
  ALIGNMENT_FAULTS: 7,
  EMULATION_FAULTS: 8,
  DUMMY: 9,
  BPF_OUTPUT: 10,
  CGROUP_SWITCHES: 11,
} as const;

/** `attr.bp_type` of breakpoints (linux/hw_breakpoint.h); `bp_len` is config2. */
export const HW_BREAKPOINT = { EMPTY: 0, R: 1, W: 2, RW: 3, X: 4 } as const;
