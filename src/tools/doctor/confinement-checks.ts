import { printable } from '../../base/printable.ts';
import { grantLines, isConfining } from '../../system/container.ts';
import { asRootLines, capabilityAbove } from '../../system/kernel/permission-help.ts';
import type { RunPlace } from '../../system/run-place.ts';
import { type Check, passed, warning } from './check.ts';
import type { MachineState } from './machine-state.ts';

const MIB = 2 ** 20;
/** Memory that reading a recording of some hundred megabytes takes. */
const USUAL_MEMORY_BYTES = 512 * MIB;

/** Checks what confines this process: capabilities, seccomp, a container, a control group. */
export function checkConfinement(state: MachineState): Check[] {
  return [
    ...checkCapabilities(state),
    ...checkSeccomp(state),
    checkContainer(state),
    checkCpuQuota(state),
    checkMemory(state),
  ];
}

/** Capabilities with either of which the paranoid level does not apply. */
const OPENS_ALL = ['CAP_PERFMON', 'CAP_SYS_ADMIN'];

function checkCapabilities(state: MachineState): Check[] {
  const { opens, confinement, privileges, place } = state;
  const { capabilities } = confinement;
  const level = state.settings.paranoidLevel ?? 2;
  const name = 'capabilities';
  const matters = `with ${capabilityAbove(level)} the paranoid level does not apply`;
  const held = capabilities.length === 0 ? 'none that recording asks for' : capabilities.join(', ');
  const isOfNamespace =
    !privileges.perfmon && capabilities.some((held) => OPENS_ALL.includes(held));
  const found = isOfNamespace
    ? `${held}, of a user namespace: perf_event_open asks for others`
    : held;
  const isRefused = opens !== null && (opens.ownKernel !== '' || opens.wholeCpu !== '');
  if (privileges.perfmon || !isRefused) return [passed(name, found, matters)];
  const isEnough = level <= 2 && !isConfining(place.container);
  const fix = [...asRootLines(place), ...(isEnough ? capableNode(place) : [])];
  return [warning(name, found, matters, fix)];
}

/**
 * A copy of Node that holds the capabilities, for the group of its user alone: what it runs may see
 * every process. Given to `node` itself, the profiled program would have them too, and such a Node
 * reads no NODE_OPTIONS.
 */
function capableNode({ execPath, isRoot, hasSudo }: RunPlace): string[] {
  if (isRoot || !hasSudo) return [];
  const copy = '/usr/local/bin/node-perf';
  const rights = 'cap_perfmon,cap_ipc_lock,cap_syslog,cap_sys_ptrace=ep';
  return [
    `or once: sudo install -m 750 -g "$(id -gn)" ${printable(execPath)} ${copy} && sudo setcap ${rights} ${copy}`,
    '  then:  node-perf "$(command -v perf-ts)" record …',
  ];
}

function checkSeccomp({ hasSeccompFilter, opens, place }: MachineState): Check[] {
  if (hasSeccompFilter === null) return [];
  const name = 'seccomp';
  const matters = 'a filter may refuse perf_event_open, as those of containers do';
  if (!hasSeccompFilter) return [passed(name, 'no filter', matters)];
  if (opens === null || opens.ownUser === '') {
    const found = 'a filter is in force, and lets perf_event_open pass';
    return [passed(name, opens === null ? 'a filter is in force' : found, matters)];
  }
  const found = `a filter is in force, and perf_event_open is refused (${opens.ownUser})`;
  const { container } = place;
  const fix =
    container === null || grantLines(container).length === 0
      ? ['start it without the filter (systemd: SystemCallFilter=)']
      : grantLines(container, true);
  return [warning(name, found, matters, fix)];
}

function checkContainer({ place: { container } }: MachineState): Check {
  const matters = 'pids, files and /tmp are those of the container, and the settings the host’s';
  if (container === null) return passed('container', 'none', matters);
  const { kind, name, isRootless } = container;
  if (kind === 'WSL2' || kind === 'WSL1') {
    return passed(
      'container',
      name,
      'its kernel and settings are its own, the processor is Windows’',
    );
  }
  const whose = isRootless ? `rootless ${name}` : name;
  return passed('container', `in a container (${whose})`, matters);
}

function checkCpuQuota({ confinement, onlineCpus, place }: MachineState): Check {
  const { cpuQuota } = confinement.cgroup;
  const name = 'cpu-quota';
  const matters = 'threads beyond it are held back: time that no sample of theirs shows';
  if (cpuQuota === null) return passed(name, 'no limit of the control group', matters);
  const found = `${Number(cpuQuota.toFixed(2))} of ${onlineCpus} CPUs for the control group`;
  if (cpuQuota >= onlineCpus) return passed(name, found, matters);
  const fix = limitLine(place, {
    update: `--cpus ${onlineCpus}`,
    resource: `cpu: ${onlineCpus}`,
    property: 'CPUQuota=',
  });
  return warning(name, found, matters, [fix]);
}

function checkMemory({ confinement, place }: MachineState): Check {
  const { memoryBytes } = confinement.cgroup;
  const name = 'memory-limit';
  const matters = 'reports keep what they read in memory; the kernel ends what exceeds the limit';
  if (memoryBytes === null) return passed(name, 'no limit of the control group', matters);
  const found = `${Math.floor(memoryBytes / MIB)} MiB for the control group`;
  if (memoryBytes >= USUAL_MEMORY_BYTES) return passed(name, found, matters);
  const mib = USUAL_MEMORY_BYTES / MIB;
  const fix = limitLine(place, {
    update: `--memory ${mib}m --memory-swap ${mib}m`,
    resource: `memory: ${mib}Mi`,
    property: `MemoryMax=${mib}M`,
  });
  return warning(name, found, matters, [fix]);
}

/** How a limit is raised: `docker update`'s option, a resource of Kubernetes, a property of systemd. */
function limitLine(
  { container, isRoot }: RunPlace,
  { update, resource, property }: Readonly<Record<'update' | 'resource' | 'property', string>>,
): string {
  switch (container?.kind) {
    case 'Kubernetes':
      return `in the pod: resources: { limits: { ${resource} } }`;
    case 'Podman':
      return `podman update ${update} CONTAINER`;
    case 'Docker':
    case 'gVisor':
      return `docker update ${update} CONTAINER`;
    case 'other':
      return 'raise the limit where the container is configured';
    default:
      return `${isRoot ? '' : 'sudo '}systemctl set-property UNIT ${property}`;
  }
}
