import type { KernelSettings } from './kernel-settings.ts';

/**
 * What to tell a user whom the kernel refuses to let open an event: the value in force, the value
 * or capability needed, the commands, and a way without them.
 */
export function explainRefusal(
  settings: KernelSettings,
  wants: {
    kernel: boolean;
    systemWide: boolean;
    foreignProcess: boolean;
    /** A tracepoint with its fields, which may hold anybody's data. */
    rawTracepoint?: boolean;
    /**
     * errno name. For the paranoid level the kernel says EACCES, and EPERM of raw tracepoints only;
     * any other EPERM comes from a filter.
     */
    code?: string;
    /** Counted by a program of the user's own, not recorded by ours. */
    counting?: boolean;
  },
): string[] {
  const level = settings.paranoidLevel;
  const lines: string[] = [];
  const action = wants.counting ? 'counting' : 'recording';
  if (level !== null) {
    const [needed, what] = wants.rawTracepoint
      ? [-1, `${action} a tracepoint`]
      : wants.systemWide
        ? [0, `${action} a whole CPU`]
        : wants.kernel
          ? [1, `${action} kernel code`]
          : [2, `${action} your own programs`];
    const isFiltered = wants.code === 'EPERM' && !wants.rawTracepoint;
    if (level > needed && !isFiltered) {
      lines.push(
        `kernel.perf_event_paranoid is ${level}; ${what} needs ${needed} or lower, or CAP_PERFMON`,
        `for now:      sudo sysctl kernel.perf_event_paranoid=${needed}`,
        `for good:     echo 'kernel.perf_event_paranoid = ${needed}' | sudo tee /etc/sysctl.d/99-perf.conf`,
      );
    } else if (!wants.foreignProcess || wants.code !== 'EACCES') {
      lines.push(
        `kernel.perf_event_paranoid is ${level}, which is not what refuses it: a seccomp filter ` +
          `(container runtimes block perf_event_open) or a security module may be in the way`,
        'in a container: grant CAP_PERFMON and a seccomp profile that allows perf_event_open',
      );
    }
  }
  if (wants.foreignProcess) {
    lines.push("another user's process needs root or CAP_PERFMON (and CAP_SYS_PTRACE)");
  }
  lines.push(
    wants.counting
      ? 'or run it as root'
      : 'or run it as root: sudo perf-ts record … (the command still runs as you)',
  );
  return lines;
}

/** Names the limit that an mmap of a ring ran into. */
export function explainRingRefusal(settings: KernelSettings, pages: number): string[] {
  return [
    `a ring of ${pages} pages does not fit what this user may lock: kernel.perf_event_mlock_kb is ` +
      `${settings.mlockKib ?? 'unknown'} KiB per CPU, shared by all of the user's recordings`,
    'ask for less with -m 16, stop other recordings, or raise it: sudo sysctl kernel.perf_event_mlock_kb=…',
  ];
}
