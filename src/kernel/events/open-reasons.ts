/**
 * The meaning of an errno of perf_event_open(2): the field of the attr that it looked at,
 * why it refuses, what can be done.
 */
export type OpenReason = {
  /** The reason in a few words, behind the event's name; for an event that is counted. */
  readonly words: string;
  /** The reason for an event that is sampled, where that is another question. */
  readonly wordsSampled?: string;
  /** Field of perf_event_attr, or argument of the call. */
  readonly field: string;
  readonly why: string;
  readonly todo: string;
};

const REASONS: Readonly<Record<string, OpenReason>> = {
  E2BIG: {
    words: "this kernel's perf_event_attr ends before its fields",
    field: 'size',
    why: "the kernel's attr is smaller than the fields that are set",
    todo: 'leave out what a newer kernel has, config3 for one',
  },
  EACCES: {
    words: 'the kernel does not allow it',
    field: 'exclude_kernel, pid, cpu',
    why: 'this user may not count here',
    todo: 'perf-ts doctor shows which setting stands in the way',
  },
  EPERM: {
    words: 'the kernel does not allow it',
    field: 'exclude_kernel, pid, cpu',
    why: 'this user may not count here',
    todo: 'perf-ts doctor shows which setting stands in the way',
  },
  EBUSY: {
    words: 'another user of the counters has them to itself',
    field: 'exclusive, pinned',
    why: 'someone else has the PMU for themselves',
    todo: 'end the other user; of cycles it may be the watchdog (sysctl kernel.nmi_watchdog=0)',
  },
  EINVAL: {
    words: 'the kernel finds its settings invalid',
    field: 'config, exclude_*, precise_ip',
    why: 'the PMU refuses one of the fields',
    todo: 'leave out modifiers and terms one by one',
  },
  EMFILE: {
    words: 'too many files are open (ulimit -n)',
    field: 'the file descriptor',
    why: 'this process has no descriptor left',
    todo: 'raise the limit: ulimit -n',
  },
  ENODEV: {
    words: 'this machine does not have it',
    field: 'cpu, config',
    why: 'the CPU is offline, or the CPU model lacks the feature',
    todo: 'perf-ts cpu shows what there is',
  },
  ENOENT: {
    words: 'this machine does not have it',
    field: 'type, config',
    why: 'no PMU here counts this event',
    todo: 'perf-ts cpu shows whether there are counters, and why not',
  },
  ENOSPC: {
    words: 'the CPU has no breakpoint left',
    field: 'bp_addr',
    why: 'every breakpoint register of the CPU is taken',
    todo: 'use fewer breakpoints (x86 has four)',
  },
  ENOSYS: {
    words: 'this kernel has no perf events (or a seccomp filter hides them)',
    field: 'the call itself',
    why: 'the kernel has no perf events, or seccomp hides them',
    todo: 'perf-ts doctor shows which',
  },
  ENXIO: {
    words: 'this machine does not have it',
    field: 'config',
    why: 'the PMU has no such event',
    todo: "perf-ts list 'pmu' shows what PMUs have",
  },
  EOPNOTSUPP: {
    words: 'its PMU does not count it, or not with these modifiers',
    wordsSampled: 'its PMU cannot sample, or not with these modifiers',
    field: 'precise_ip, sample_period, branch_sample_type',
    why: 'the PMU counts it, but not in this way',
    todo: 'leave out :p, or count it (stat) where it was to be sampled',
  },
  EOVERFLOW: {
    words: 'a number in it is larger than the kernel takes',
    wordsSampled: 'it asks for more stack frames than kernel.perf_event_max_stack',
    field: 'sample_max_stack',
    why: 'it asks for deeper stacks than kernel.perf_event_max_stack',
    todo: 'ask for less, or raise the sysctl',
  },
  ESRCH: {
    words: 'the task has ended',
    field: 'pid',
    why: 'the task has ended',
    todo: 'give a pid or tid that runs',
  },
};

/** Null for an errno that perf_event_open(2) does not document. */
export function openReason(code: string): OpenReason | null {
  return Object.hasOwn(REASONS, code) ? REASONS[code] : null;
}

/**
 * The reason why an event can't be opened, in a few words with the errno; the errno alone where it says it all.
 */
export function openWords(code: string, use: 'counted' | 'sampled'): string {
  const reason = openReason(code);
  if (reason === null) return code;
  return `${(use === 'sampled' && reason.wordsSampled) || reason.words} (${code})`;
}
