import { printable } from '../../base/printable.ts';
import { openReason } from '../../kernel/events/open-reasons.ts';
import type { AttrFlags, EventAttr } from '../../kernel/perf-event/attr.ts';
import type { OpenProbe } from '../../native/types.ts';
import type { KernelSettings } from '../../system/kernel/kernel-settings.ts';
import { explainRefusal } from '../../system/kernel/permission-help.ts';
import { CounterError } from '../count/counter-error.ts';
import type { KeyedEvent } from './group-events.ts';

/** A member of a group that the kernel did not open. */
export type FailedOpen = {
  readonly event: KeyedEvent;
  readonly attr: EventAttr;
  /** errno name. */
  readonly code: string;
  /** Members that had opened before it, by name; none where it is the leader. */
  readonly opened: readonly string[];
  /** −1: all tasks. */
  readonly pid: number;
  readonly cpu: number;
};

export type OpenFacts = {
  /**
   * Asks the kernel for the event by itself, with another attr; on the calling thread if asked.
   */
  readonly probe: (attr: EventAttr, where?: 'own-thread') => OpenProbe;
  readonly settings: KernelSettings;
};

/** Flags that a PMU may refuse, by the kernel's names; in the order in which they are suspected. */
const SUSPECTS: readonly (readonly [keyof AttrFlags, string])[] = [
  ['preciseIp', 'precise_ip'],
  ['excludeUser', 'exclude_user'],
  ['excludeKernel', 'exclude_kernel'],
  ['excludeHv', 'exclude_hv'],
  ['excludeIdle', 'exclude_idle'],
  ['excludeHost', 'exclude_host'],
  ['excludeGuest', 'exclude_guest'],
  ['inherit', 'inherit'],
  ['pinned', 'pinned'],
  ['exclusive', 'exclusive'],
];

/** Explains why an event did not open: which one, what of it, and what to do. */
export function explainFailedOpen(failed: FailedOpen, facts: OpenFacts): CounterError {
  const { message, hints = [], field = null } = reasonOf(failed, facts);
  const { key, spec } = failed.event;
  const name = printable(key === spec.text ? key : `${key} (${spec.text})`);
  return new CounterError(
    failed.code as `E${string}`,
    `${name}: ${message} (${failed.code})`,
    hints,
    { event: key, field },
  );
}

type Reason = {
  readonly message: string;
  readonly hints?: readonly string[];
  readonly field?: string | null;
};

const SEE_LIST = 'perf-ts list shows what opens here';

function reasonOf(failed: FailedOpen, facts: OpenFacts): Reason {
  const { code, pid, cpu } = failed;
  const message = openReason(code)?.words ?? 'the kernel refuses to open it';
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return refused(failed, facts);
    case 'E2BIG':
      return tooNew(failed, facts);
    case 'EINVAL':
    case 'EOPNOTSUPP':
      return unfit(failed, facts);
    case 'ENOENT':
    case 'ENXIO':
      return { message, hints: [SEE_LIST] };
    case 'ENODEV':
      return cpu >= 0
        ? {
            message: `CPU ${cpu} is not online, or its PMU is not there`,
            hints: [SEE_LIST],
            field: 'cpu',
          }
        : { message, hints: [SEE_LIST] };
    case 'ESRCH':
      return {
        message: `there is no thread ${pid}`,
        hints: ['it has ended, or has another number in this PID namespace'],
        field: 'pid',
      };
    case 'EBUSY':
      return {
        message,
        hints: ['wait for it, or open without exclusive'],
        field: 'exclusive',
      };
    case 'ENOSPC':
      return {
        message,
        hints: ['close other breakpoint events'],
      };
    case 'EMFILE':
    case 'ENFILE':
      return {
        message: 'too many files are open: each event of a group is one',
        hints: ['close groups that are not used, or raise the limit: ulimit -n'],
      };
    default:
      return { message };
  }
}

function refused({ attr, code, pid }: FailedOpen, { probe, settings }: OpenFacts): Reason {
  if (pid > 0 && probe(withFlags(attr, { disabled: true }), 'own-thread').errno === 0) {
    return {
      message: `the kernel does not allow it on thread ${pid}`,
      hints: ["another user's process needs root or CAP_PERFMON (and CAP_SYS_PTRACE)"],
      field: 'pid',
    };
  }
  const userOnly = probe(withFlags(attr, { excludeKernel: true, excludeHv: true }));
  const isKernel = !attr.flags.excludeKernel && userOnly.errno === 0;
  const hints = explainRefusal(settings, {
    kernel: !attr.flags.excludeKernel,
    systemWide: pid === -1,
    foreignProcess: pid > 0,
    code,
    counting: true,
  });
  if (isKernel) hints.unshift('user code alone may be counted: { excludeKernel: true }, or :u');
  return {
    message: `the kernel does not allow it${isKernel ? ' for kernel code' : ''}`,
    hints,
    field: isKernel ? 'exclude_kernel' : null,
  };
}

/** The kernel's `struct perf_event_attr` ends before a field that is set: of an event's, two are younger than Linux 5.4. */
function tooNew({ attr }: FailedOpen, { probe }: OpenFacts): Reason {
  const { kernelAttrSize } = probe(attr);
  const field = attr.config3 !== 0n && kernelAttrSize <= 128 ? 'config3' : 'config4';
  return {
    message: `this kernel's perf_event_attr (${kernelAttrSize} bytes) ends before ${field}`,
    hints: ['leave that term out, or use a newer kernel'],
    field,
  };
}

/** The group is at fault where the event would open by itself; a flag is where it would open without that. */
function unfit({ attr, opened, code }: FailedOpen, { probe }: OpenFacts): Reason {
  const alone = withFlags(attr, { disabled: true });
  if (opened.length > 0 && probe(alone).errno === 0) {
    return {
      message: `opens by itself, but not in one group with ${opened.map(printable).join(', ')}`,
      hints: [
        'a group has to fit the counters of one PMU at once: open fewer events, or two groups ' +
          '(the NMI watchdog takes a counter too: sysctl kernel.nmi_watchdog=0)',
      ],
      field: 'group_fd',
    };
  }
  for (const [flag, field] of SUSPECTS) {
    if (Number(attr.flags[flag]) === 0) continue;
    const without = withFlags(alone, { [flag]: flag === 'preciseIp' ? 0 : false });
    if (probe(without).errno !== 0) continue;
    return { message: `its PMU does not take ${field}`, hints: ['leave that modifier out'], field };
  }
  return code === 'EOPNOTSUPP'
    ? { message: 'its PMU does not count this', hints: [SEE_LIST] }
    : { message: 'the kernel finds its settings invalid', hints: [SEE_LIST], field: 'config' };
}

function withFlags(attr: EventAttr, flags: Partial<AttrFlags>): EventAttr {
  return { ...attr, flags: { ...attr.flags, ...flags } };
}
