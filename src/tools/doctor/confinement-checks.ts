import { type Check, passed } from './check.ts';
import type { MachineState } from './machine-state.ts';

const MIB = 2 ** 20;
/** What reading a recording of some hundred megabytes takes. */
const USUAL_MEMORY_BYTES = 512 * MIB;

/** What keeps this process from more: capabilities, seccomp, a container, a control group. */
export function checkConfinement(state: MachineState): Check[] {
  return [
    ...checkCapabilities(state),
    ...checkSeccomp(state),
    checkContainer(state),
    checkCpuQuota(state),
    checkMemory(state),
  ];
}

/** With either of these the paranoid level does not apply. */
const OPENS_ALL = ['CAP_PERFMON', 'CAP_SYS_ADMIN'];

function checkCapabilities({ opens, confinement, privileges }: MachineState): Check[] {
  const { capabilities, container } = confinement;
  const name = 'capabilities';
  const matters = 'with CAP_PERFMON the paranoid level does not apply';
  const held = capabilities.length === 0 ? 'none that recording asks for' : capabilities.join(', ');
  const isOfNamespace =
    !privileges.perfmon && capabilities.some((held) => OPENS_ALL.includes(held));
  const found = isOfNamespace
    ? `${held}, of a user namespace: perf_event_open asks for others`
    : held;
  const isRefused = opens !== null && (opens.ownKernel !== '' || opens.wholeCpu !== '');
  if (privileges.perfmon || !isRefused) return [passed(name, found, matters)];
  const fix =
    container === null
      ? ['sudo perf-ts … (the command still runs as you)']
      : ['docker run --cap-add PERFMON --cap-add SYSLOG --cap-add SYS_PTRACE …'];
  return [{ name, state: 'warn', found, matters, fix }];
}

function checkSeccomp({ hasSeccompFilter, opens, confinement }: MachineState): Check[] {
  if (hasSeccompFilter === null) return [];
  const name = 'seccomp';
  const matters = 'a filter may refuse perf_event_open, as those of containers do';
  if (!hasSeccompFilter) return [passed(name, 'no filter', matters)];
  if (opens === null || opens.ownUser === '') {
    const found = 'a filter is in force, and lets perf_event_open pass';
    return [passed(name, opens === null ? 'a filter is in force' : found, matters)];
  }
  const found = `a filter is in force, and perf_event_open is refused (${opens.ownUser})`;
  const fix =
    confinement.container === null
      ? ['start it without the filter (systemd: SystemCallFilter=)']
      : ['docker run --security-opt seccomp=PROFILE …, one that allows perf_event_open'];
  return [{ name, state: 'warn', found, matters, fix }];
}

function checkContainer({ confinement: { container } }: MachineState): Check {
  const matters = 'pids, files and /tmp are those of the container, and the settings the host’s';
  if (container === null) return passed('container', 'none', matters);
  return passed('container', `in a container (${container})`, matters);
}

function checkCpuQuota({ confinement, onlineCpus }: MachineState): Check {
  const { container, cgroup } = confinement;
  const { cpuQuota } = cgroup;
  const name = 'cpu-quota';
  const matters = 'threads beyond it are held back: time that no sample of theirs shows';
  if (cpuQuota === null) return passed(name, 'no limit of the control group', matters);
  const found = `${Number(cpuQuota.toFixed(2))} of ${onlineCpus} CPUs for the control group`;
  if (cpuQuota >= onlineCpus) return passed(name, found, matters);
  const fix =
    container === null
      ? ['sudo systemctl set-property UNIT CPUQuota=']
      : [`docker update --cpus ${onlineCpus} CONTAINER`];
  return { name, state: 'warn', found, matters, fix };
}

function checkMemory({ confinement }: MachineState): Check {
  const { container, cgroup } = confinement;
  const { memoryBytes } = cgroup;
  const name = 'memory-limit';
  const matters = 'reports keep what they read in memory; the kernel ends what exceeds the limit';
  if (memoryBytes === null) return passed(name, 'no limit of the control group', matters);
  const found = `${Math.floor(memoryBytes / MIB)} MiB for the control group`;
  if (memoryBytes >= USUAL_MEMORY_BYTES) return passed(name, found, matters);
  const enough = `${USUAL_MEMORY_BYTES / MIB}m`;
  const fix =
    container === null
      ? [`sudo systemctl set-property UNIT MemoryMax=${USUAL_MEMORY_BYTES / MIB}M`]
      : [`docker update --memory ${enough} --memory-swap ${enough} CONTAINER`];
  return { name, state: 'warn', found, matters, fix };
}
