import { isAbsent } from '../../system/kernel/open-refusal.ts';
import { settingLine } from '../../system/kernel/permission-help.ts';
import { type Check, passed, warning } from './check.ts';
import type { MachineState } from './machine-state.ts';
import { SEE_OWN } from './permission-checks.ts';

/** Checks which kinds of events this machine has, and who else uses its counters. */
export function checkEvents(state: MachineState): Check[] {
  return [
    ...checkCounters(state),
    ...checkCallStacks(state),
    ...checkWatchdog(state),
    ...checkTracepoints(state),
  ];
}

const WSL_COUNTERS =
  'WSL2: hardwarePerformanceCounters=true below [wsl2] in %UserProfile%\\.wslconfig, then wsl --shutdown ' +
  '(Windows 11)';

const UNKNOWN_MACHINE =
  'a virtual machine: let the hypervisor pass the PMU on (KVM/QEMU: -cpu host,pmu=on; in clouds: bare ' +
  'metal, or the larger instance sizes)';

function checkCounters({ opens, noCounters, place }: MachineState): Check[] {
  if (opens === null) return [];
  const name = 'hardware-counters';
  const matters = 'cycles and instructions need them; without, cpu-clock is recorded instead';
  if (opens.cycles === '') return [passed(name, 'cycles opens', matters)];
  const reason = isAbsent(opens.cycles) && noCounters !== null ? `: ${noCounters.reason}` : '';
  const found = `cycles does not open (${opens.cycles})${reason}`;
  // Refused and absent are two things: the remedy for the first is under own-programs.
  if (!isAbsent(opens.cycles) || opens.ownUser !== '') {
    return [warning(name, found, matters, [SEE_OWN])];
  }
  const remedies =
    place.container?.kind === 'WSL2' ? [WSL_COUNTERS] : (noCounters?.fix ?? [UNKNOWN_MACHINE]);
  const fix = [
    ...remedies,
    'or record what needs no PMU: perf-ts record -e cpu-clock,page-faults …',
  ];
  return [warning(name, found, matters, fix)];
}

/** Nothing can be done where there are none: most CPUs have none, and most virtual machines. */
function checkCallStacks({ opens }: MachineState): Check[] {
  if (opens === null) return [];
  const name = 'call-stack-records';
  const matters = 'record --call-graph lbr has the CPU record calls; auto, dwarf and fp need none';
  const { callStacks } = opens;
  if (callStacks === '') return [passed(name, 'cycles opens with them', matters)];
  const answer = isAbsent(callStacks) ? 'there are none' : 'not to be tried';
  return [passed(name, `${answer} (${callStacks})`, matters)];
}

function checkWatchdog({ opens, hasNmiWatchdog, place }: MachineState): Check[] {
  if (hasNmiWatchdog === null || opens === null) return [];
  const name = 'nmi-watchdog';
  const matters = 'it holds one hardware counter on each CPU, so groups get one less';
  if (!hasNmiWatchdog) return [passed(name, 'kernel.nmi_watchdog is 0', matters)];
  if (opens.cycles !== '') {
    return [passed(name, 'kernel.nmi_watchdog is 1, without a counter to hold', matters)];
  }
  return [
    warning(name, 'kernel.nmi_watchdog is 1', matters, [
      settingLine(place, 'kernel.nmi_watchdog=0'),
    ]),
  ];
}

function checkTracepoints({ opens, tracepointProblem }: MachineState): Check[] {
  if (opens === null) return [];
  const name = 'tracepoints';
  const matters = 'events such as sched:sched_switch are found in tracefs';
  if (tracepointProblem === null) return [passed(name, 'tracefs is readable, they open', matters)];
  const { message } = tracepointProblem;
  const fix = opens.ownUser === '' ? tracepointProblem.fix : [SEE_OWN];
  return [warning(name, message, matters, fix)];
}
