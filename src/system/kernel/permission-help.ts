import { grantLines, isConfining } from '../container.ts';
import { type RunPlace, readRunPlace, rootLine } from '../run-place.ts';
import type { KernelSettings } from './kernel-settings.ts';

/** The refused event, as far as it decides what would allow it. */
export type RefusedWish = {
  readonly kernel: boolean;
  readonly systemWide: boolean;
  readonly foreignProcess: boolean;
  /** A tracepoint with its fields, which may hold anybody's data. */
  readonly rawTracepoint?: boolean;
  /**
   * errno name. For the paranoid level the kernel says EACCES, and EPERM of raw tracepoints only;
   * any other EPERM comes from a filter.
   */
  readonly code?: string;
  /** Counted, not recorded. */
  readonly counting?: boolean;
  /** The lines become one sentence: without columns, and without what outlives the next start of the machine. */
  readonly inOneLine?: boolean;
};

/**
 * Help for a user whom the kernel refuses an event: the value in force, the value
 * or capability needed, the commands that work at this place, and a way without them.
 */
export function explainRefusal(
  settings: KernelSettings,
  wish: RefusedWish,
  place: RunPlace = readRunPlace(),
): string[] {
  const { container } = place;
  const level = settings.paranoidLevel;
  const lines: string[] = [];
  let mayBeFiltered = level === null;
  if (level !== null) {
    const [needed, what] = neededLevel(wish);
    const isFiltered = wish.code === 'EPERM' && !wish.rawTracepoint;
    if (level > needed && !isFiltered) {
      lines.push(
        `kernel.perf_event_paranoid is ${level}; ${what} needs ${needed} or lower, or ${capabilityAbove(level)}`,
        ...paranoidLines(needed, place, wish.inOneLine === true),
      );
    } else if (!wish.foreignProcess || wish.code !== 'EACCES') {
      mayBeFiltered = true;
      lines.push(
        `kernel.perf_event_paranoid is ${level}, which is not what refuses it: a seccomp filter ` +
          `(container runtimes block perf_event_open) or a security module may be in the way`,
      );
    }
  }
  if (wish.foreignProcess) {
    lines.push("another user's process needs root or CAP_PERFMON (and CAP_SYS_PTRACE)");
  }
  if (mayBeFiltered && !isConfining(container)) lines.push(UNKNOWN_FILTER);
  if (isConfining(container)) lines.push(...grantLines(container, mayBeFiltered));
  else lines.push(...asRootLines(place).map((line) => `or ${line}`));
  return lines;
}

const UNKNOWN_FILTER =
  'start it without the filter (systemd: SystemCallFilter=), or with one that allows perf_event_open';

function neededLevel(wish: RefusedWish): [number, string] {
  const action = wish.counting ? 'counting' : 'recording';
  if (wish.rawTracepoint) return [-1, `${action} a tracepoint`];
  if (wish.systemWide) return [0, `${action} a whole CPU`];
  if (wish.kernel) return [1, `${action} kernel code`];
  return [2, `${action} your own programs`];
}

/** The capability above a level. What distributions added above 2 asks for CAP_SYS_ADMIN alone in many of their kernels. */
export function capabilityAbove(level: number): string {
  return level > 2 ? 'CAP_SYS_ADMIN' : 'CAP_PERFMON';
}

/** How to lower the paranoid level, which is the host's in a container. */
function paranoidLines(needed: number, place: RunPlace, inOneLine: boolean): string[] {
  const setting = `kernel.perf_event_paranoid=${needed}`;
  if (isConfining(place.container))
    return [`on the host:${inOneLine ? '' : ' '} sudo sysctl ${setting}`];
  if (inOneLine) return [`for now: ${settingLine(place, setting)}`];
  const file = '/etc/sysctl.d/99-perf.conf';
  const text = `echo '${setting}'`;
  const sudoless = place.isRoot ? '' : 'as root: ';
  return [
    `for now:      ${settingLine(place, setting)}`,
    place.hasSudo && !place.isRoot
      ? `for good:     ${text} | sudo tee ${file}`
      : `for good:     ${sudoless}${text} > ${file}`,
  ];
}

/** The command that sets a kernel setting (`NAME=VALUE`) for whom this process belongs to. */
export function settingLine(place: RunPlace, setting: string): string {
  if (isConfining(place.container)) return `on the host: sudo sysctl ${setting}`;
  if (place.isRoot) return `sysctl ${setting}`;
  // Its folder is on root's own PATH only.
  return place.hasSudo ? `sudo sysctl ${setting}` : `su - -c 'sysctl ${setting}'`;
}

/** The command stays its caller's under sudo. */
function whoRuns({ hasSudo }: RunPlace): string {
  return hasSudo ? ' (the command still runs as you)' : '';
}

/** How a place's user gets all rights; empty for root. */
export function asRootLines(place: RunPlace): string[] {
  const { container } = place;
  if (isConfining(container)) return grantLines(container);
  const line = rootLine(place);
  return line === null ? [] : [`run it as root: ${line}${whoRuns(place)}`];
}

/** Names the limit that an mmap of a ring ran into. */
export function explainRingRefusal(settings: KernelSettings, pages: number): string[] {
  return [
    `a ring of ${pages} pages does not fit what this user may lock: kernel.perf_event_mlock_kb is ` +
      `${settings.mlockKib ?? 'unknown'} KiB per CPU, shared by all of the user's recordings, and RLIMIT_MEMLOCK ` +
      `${settings.memlockKib ?? 0} KiB`,
    'ask for less with -m 16, stop other recordings, or raise it: ' +
      settingLine(readRunPlace(), 'kernel.perf_event_mlock_kb=…'),
  ];
}
