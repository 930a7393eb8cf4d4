/**
 * Numbers of the kernel's perf ABI under the kernel's names: `PERF_SAMPLE_IP` is `PERF_SAMPLE.IP`.
 * https://github.com/torvalds/linux/blob/v6.18/include/uapi/linux/perf_event.h
 * Bits as numbers, so that they combine with `|` and test with `&`.
 */

/** Which fields a sample has, `attr.sample_type`. */
export const PERF_SAMPLE = {
  IP: 1 << 0,
  TID: 1 << 1,
  TIME: 1 << 2,
  ADDR: 1 << 3,
  READ: 1 << 4,
  CALLCHAIN: 1 << 5,
  ID: 1 << 6,
  CPU: 1 << 7,
  PERIOD: 1 << 8,
  STREAM_ID: 1 << 9,
  RAW: 1 << 10,
  BRANCH_STACK: 1 << 11,
  REGS_USER: 1 << 12,
  STACK_USER: 1 << 13,
  WEIGHT: 1 << 14,
  DATA_SRC: 1 << 15,
  IDENTIFIER: 1 << 16,
  TRANSACTION: 1 << 17,
  REGS_INTR: 1 << 18,
  PHYS_ADDR: 1 << 19,
  AUX: 1 << 20,
  CGROUP: 1 << 21,
  DATA_PAGE_SIZE: 1 << 22,
  CODE_PAGE_SIZE: 1 << 23,
  WEIGHT_STRUCT: 1 << 24,
} as const;

/** The first bit of `sample_type` that has no name here, as the kernel's `PERF_SAMPLE_MAX`. */
export const PERF_SAMPLE_MAX = 1 << 25;

/** The names of the bits set in `sampleType`, in bit order. */
export function sampleTypeNames(sampleType: number): string[] {
  return Object.entries(PERF_SAMPLE)
    .filter(([, bit]) => (sampleType & bit) !== 0)
    .map(([name]) => name);
}

/** `attr.branch_sample_type`. */
export const PERF_SAMPLE_BRANCH = {
  USER: 1 << 0,
  KERNEL: 1 << 1,
  HV: 1 << 2,
  ANY: 1 << 3,
  ANY_CALL: 1 << 4,
  ANY_RETURN: 1 << 5,
  IND_CALL: 1 << 6,
  ABORT_TX: 1 << 7,
  IN_TX: 1 << 8,
  NO_TX: 1 << 9,
  COND: 1 << 10,
  CALL_STACK: 1 << 11,
  IND_JUMP: 1 << 12,
  CALL: 1 << 13,
  NO_FLAGS: 1 << 14,
  NO_CYCLES: 1 << 15,
  TYPE_SAVE: 1 << 16,
  HW_INDEX: 1 << 17,
  PRIV_SAVE: 1 << 18,
  COUNTERS: 1 << 19,
} as const;

/** First word of a register dump. */
export const PERF_SAMPLE_REGS_ABI = { NONE: 0, ABI_32: 1, ABI_64: 2 } as const;

/** `attr.read_format`. */
export const PERF_FORMAT = {
  TOTAL_TIME_ENABLED: 1 << 0,
  TOTAL_TIME_RUNNING: 1 << 1,
  ID: 1 << 2,
  GROUP: 1 << 3,
  LOST: 1 << 4,
} as const;

/** The first bit of `read_format` that has no name here. */
export const PERF_FORMAT_MAX = 1 << 5;

/** Context markers in callchains, in the signed form of addresses (see `base/u64.ts`). */
export const PERF_CONTEXT = {
  HV: -32,
  KERNEL: -128,
  USER: -512,
  USER_DEFERRED: -640,
  GUEST: -2048,
  GUEST_KERNEL: -2176,
  GUEST_USER: -2560,
  /** Values from here up to −1 are markers, not addresses. */
  MAX: -4095,
} as const;

/** `perf_event_header.misc`: the low three bits are the CPU mode, the high ones go by record. */
export const PERF_RECORD_MISC = {
  CPUMODE_MASK: 7,
  CPUMODE_UNKNOWN: 0,
  KERNEL: 1,
  USER: 2,
  HYPERVISOR: 3,
  GUEST_KERNEL: 4,
  GUEST_USER: 5,
  /** perf gave up reading /proc/PID/maps of this process. */
  PROC_MAP_PARSE_TIMEOUT: 1 << 12,
  /** MMAP, MMAP2: not an executable mapping. */
  MMAP_DATA: 1 << 13,
  /** COMM: the name comes from an exec. */
  COMM_EXEC: 1 << 13,
  /** FORK, synthesized by perf only. */
  FORK_EXEC: 1 << 13,
  /** SWITCH, SWITCH_CPU_WIDE: the task leaves the CPU. */
  SWITCH_OUT: 1 << 13,
  /** SAMPLE: the ip is exactly that of the event. */
  EXACT_IP: 1 << 14,
  /** SWITCH…: it left in state TASK_RUNNING. */
  SWITCH_OUT_PREEMPT: 1 << 14,
  /** MMAP2: a build ID stands in place of device and inode. */
  MMAP_BUILD_ID: 1 << 14,
  /** Build-ID list of the header: the id's size is given. */
  BUILD_ID_SIZE: 1 << 15,
  /** LOST_SAMPLES, synthesized by perf: dropped by a BPF filter, not lost. */
  LOST_SAMPLES_BPF: 1 << 15,
} as const;

/** `perf_event_header.type`: below 64 from the kernel, from 64 on written by perf ("user"). */
export const PERF_RECORD = {
  MMAP: 1,
  LOST: 2,
  COMM: 3,
  EXIT: 4,
  THROTTLE: 5,
  UNTHROTTLE: 6,
  FORK: 7,
  READ: 8,
  SAMPLE: 9,
  MMAP2: 10,
  AUX: 11,
  ITRACE_START: 12,
  LOST_SAMPLES: 13,
  SWITCH: 14,
  SWITCH_CPU_WIDE: 15,
  NAMESPACES: 16,
  KSYMBOL: 17,
  BPF_EVENT: 18,
  CGROUP: 19,
  TEXT_POKE: 20,
  AUX_OUTPUT_HW_ID: 21,
  CALLCHAIN_DEFERRED: 22,
  // tools/lib/perf/include/perf/event.h
  HEADER_ATTR: 64,
  HEADER_EVENT_TYPE: 65,
  HEADER_TRACING_DATA: 66,
  HEADER_BUILD_ID: 67,
  FINISHED_ROUND: 68,
  ID_INDEX: 69,
  AUXTRACE_INFO: 70,
  AUXTRACE: 71,
  AUXTRACE_ERROR: 72,
  THREAD_MAP: 73,
  CPU_MAP: 74,
  STAT_CONFIG: 75,
  STAT: 76,
  STAT_ROUND: 77,
  EVENT_UPDATE: 78,
  TIME_CONV: 79,
  HEADER_FEATURE: 80,
  COMPRESSED: 81,
  FINISHED_INIT: 82,
  COMPRESSED2: 83,
  BPF_METADATA: 84,
  SCHEDSTAT_CPU: 85,
  SCHEDSTAT_DOMAIN: 86,
} as const;

/** The kinds of change in an EVENT_UPDATE record, tools/lib/perf/include/perf/event.h. */
export const PERF_EVENT_UPDATE = { UNIT: 0, SCALE: 1, NAME: 2, CPUS: 3 } as const;

/** The most bytes of a record that is written: its size is a u16, and a multiple of 8. */
export const LARGEST_RECORD = 0xfff8;

/** The first type that the kernel leaves to tools. */
export const PERF_RECORD_USER_TYPE_START = 64;

const RECORD_TYPE_NAMES = new Map<number, string>(
  Object.entries(PERF_RECORD).map(([name, type]) => [type, name]),
);

/** The kernel's name without `PERF_RECORD_`: `SAMPLE`, `FINISHED_ROUND`; else `UNKNOWN(200)`. */
export function recordTypeName(type: number): string {
  return RECORD_TYPE_NAMES.get(type) ?? `UNKNOWN(${type})`;
}
