import { text, whole, yesNo } from './kinds.ts';
import { type OptionsOf, option, options, pick } from './option.ts';

/** `openGroup()`. */
export const GROUP = options({
  /**
   * A thread of this or another process (`threadId` names the calling one); −1: all tasks, on `cpu`.
   * Default: the calling thread, whichever CPU it is on.
   */
  pid: option(whole(-1)),
  /** Count only while on this CPU. */
  cpu: option(whole(0)),
  /** A control group by its path below /sys/fs/cgroup, or absolute; on `cpu`. */
  cgroup: option(text),
  /** Count also threads and processes that the thread starts from now on. */
  inherit: option(yesNo),
  excludeUser: option(yesNo),
  excludeKernel: option(yesNo),
  excludeHv: option(yesNo),
  excludeIdle: option(yesNo),
  /** Always on the PMU, or an error (`ERR_NOT_SCHEDULED`): never multiplexed. */
  pinned: option(yesNo),
  /** Alone on the PMU. */
  exclusive: option(yesNo),
  /** False: `readInto` never reads the counters in user space. */
  userReads: option(yesNo),
});

/** The target of a group and how it counts. Default: the calling thread, user and kernel code. */
export type GroupOptions = OptionsOf<typeof GROUP>;

/** `openPerfmon()`. */
export const PERFMON = options({
  ...pick(GROUP, 'pid', 'cpu', 'inherit', 'pinned'),
  /** How many counters there are, at most; default: as many general ones as a core has, at least 4. */
  counters: option(whole(1)),
  /** The PMU whose event numbers are meant, where the cores have several kinds of PMUs (`cpu_core`). */
  pmu: option(text),
});

/** The target of the counters of `openPerfmon`, and their number. */
export type PerfmonOptions = OptionsOf<typeof PERFMON>;

/** `measureRepeated()`. */
export const REPEAT = options({
  /** Calls before the first that is measured: compilers, caches and pools settle. Default 3. */
  warmUp: option(whole(0)),
  /** Measurements. Default 10. */
  runs: option(whole(1)),
  /** Calls in each measurement; counts are told per call. Default 1. */
  calls: option(whole(1)),
});

/** How often `measureRepeated` runs a function. */
export type RepeatOptions = OptionsOf<typeof REPEAT>;

/** `measureOverhead()`. */
export const OVERHEAD = options({
  /** Measurements of nothing. Default 200. */
  rounds: option(whole(1)),
  /** Measurements before the first that counts. Default 50. */
  warmUp: option(whole(0)),
});

/** How often `measureOverhead` measures nothing. */
export type OverheadOptions = OptionsOf<typeof OVERHEAD>;
