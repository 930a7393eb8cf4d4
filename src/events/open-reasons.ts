/**
 * What the kernel means by an errno of perf_event_open(2): the field of the attr that it looked at,
 * why it refuses, what can be done.
 */
export type OpenReason = {
  /** Field of perf_event_attr, or argument of the call. */
  readonly field: string;
  readonly why: string;
  readonly todo: string;
};

const REASONS: Readonly<Record<string, OpenReason>> = {
  E2BIG: {
    field: 'size',
    why: "the kernel's attr is smaller than the fields that are set",
    todo: 'leave out what a newer kernel has, config3 for one',
  },
  EACCES: {
    field: 'exclude_kernel, pid, cpu',
    why: 'this user may not count here',
    todo: 'perf-ts doctor says which setting stands in the way',
  },
  EPERM: {
    field: 'exclude_kernel, pid, cpu',
    why: 'this user may not count here',
    todo: 'perf-ts doctor says which setting stands in the way',
  },
  EBUSY: {
    field: 'exclusive, pinned',
    why: 'someone else has the PMU for themselves',
    todo: 'end the other user; of cycles it may be the watchdog (sysctl kernel.nmi_watchdog=0)',
  },
  EINVAL: {
    field: 'config, exclude_*, precise_ip',
    why: 'the PMU refuses one of the fields',
    todo: 'leave out modifiers and terms one by one',
  },
  EMFILE: {
    field: 'the file descriptor',
    why: 'this process has no descriptor left',
    todo: 'raise the limit: ulimit -n',
  },
  ENODEV: {
    field: 'cpu, config',
    why: 'the CPU is offline, or the CPU model lacks the feature',
    todo: 'perf-ts cpu shows what there is',
  },
  ENOENT: {
    field: 'type, config',
    why: 'no PMU here counts this event',
    todo: 'perf-ts cpu says whether there are counters, and why not',
  },
  ENOSPC: {
    field: 'bp_addr',
    why: 'every breakpoint register of the CPU is taken',
    todo: 'use fewer breakpoints (x86 has four)',
  },
  ENOSYS: {
    field: 'the call itself',
    why: 'the kernel has no perf events, or seccomp hides them',
    todo: 'perf-ts doctor says which',
  },
  ENXIO: {
    field: 'config',
    why: 'the PMU has no such event',
    todo: "perf-ts list 'pmu' shows what PMUs have",
  },
  EOPNOTSUPP: {
    field: 'precise_ip, sample_period, branch_sample_type',
    why: 'the PMU counts it, but not in this way',
    todo: 'leave out :p, or count it (stat) where it was to be sampled',
  },
  EOVERFLOW: {
    field: 'sample_max_stack',
    why: 'it asks for deeper stacks than kernel.perf_event_max_stack',
    todo: 'ask for less, or raise the sysctl',
  },
  ESRCH: {
    field: 'pid',
    why: 'the task has ended',
    todo: 'give a pid or tid that runs',
  },
};

/** Null for an errno that perf_event_open(2) does not document. */
export function openReason(code: string): OpenReason | null {
  return Object.hasOwn(REASONS, code) ? (REASONS[code] as OpenReason) : null;
}
