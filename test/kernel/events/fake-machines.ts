import { PERF_TYPE } from '../../../src/base/event-type.ts';
import type { EventSources, PmuDescription } from '../../../src/kernel/events/event-sources.ts';
import type { EventSpec } from '../../../src/kernel/events/event-spec.ts';

type PmuDrawing = {
  type: number;
  format?: Record<string, string>;
  events?: Record<string, string>;
  cpumask?: string;
  cpus?: string;
};

/** Sources for the PMUs drawn as their sysfs folders, and tracepoints as system -> event -> id. */
export function fakeSources(
  pmus: Record<string, PmuDrawing>,
  tracepoints: Record<string, Record<string, number>> = TRACEPOINTS,
): EventSources {
  return {
    pmus: Object.entries(pmus).map(([name, drawing]) => pmu(name, drawing)),
    tracepoints: {
      isReadable: () => true,
      id: (system, event) => tracepoints[system]?.[event] ?? null,
      systems: () => Object.keys(tracepoints).sort(),
      events: (system) => Object.keys(tracepoints[system] ?? {}).sort(),
    },
  };
}

function pmu(name: string, { type, format, events, cpumask, cpus }: PmuDrawing): PmuDescription {
  return {
    name,
    type,
    formats: new Map(Object.entries(format ?? {})),
    events: new Map(Object.entries(events ?? {})),
    cpumask: cpumask ?? null,
    cpus: cpus ?? null,
    caps: new Map(),
  };
}

const TRACEPOINTS = {
  sched: { sched_switch: 316, sched_wakeup: 319, sched_process_fork: 310 },
  syscalls: { sys_enter_openat: 700, sys_exit_openat: 699, sys_enter_read: 702 },
};

const SOFTWARE = { software: { type: 1 }, tracepoint: { type: 2 }, breakpoint: { type: 5 } };

const INTEL_FORMAT = {
  event: 'config:0-7',
  umask: 'config:8-15',
  edge: 'config:18',
  pc: 'config:19',
  inv: 'config:23',
  cmask: 'config:24-31',
  ldlat: 'config1:0-15',
  offcore_rsp: 'config1:0-63',
};

/** A two-socket Intel server; memory controllers answer on CPUs 0 and 18. */
export const INTEL = fakeSources({
  ...SOFTWARE,
  cpu: {
    type: 4,
    format: INTEL_FORMAT,
    events: { 'cpu-cycles': 'event=0x3c', 'mem-loads': 'event=0xcd,umask=0x1,ldlat=3' },
  },
  uncore_imc_0: {
    type: 14,
    format: { event: 'config:0-7', umask: 'config:8-15', thresh: 'config:24-31' },
    events: { cas_count_read: 'event=0x04,umask=0x03' },
    cpumask: '0,18',
  },
  uncore_imc_1: {
    type: 15,
    format: { event: 'config:0-7', umask: 'config:8-15', thresh: 'config:24-31' },
    events: { cas_count_read: 'event=0x04,umask=0x03' },
    cpumask: '0,18',
  },
});

/** AMD Zen: the event number is split over two bit ranges. */
export const AMD = fakeSources({
  ...SOFTWARE,
  cpu: {
    type: 4,
    format: { event: 'config:0-7,32-35', umask: 'config:8-15', edge: 'config:18' },
    events: { 'cpu-cycles': 'event=0x76' },
  },
  ibs_op: { type: 11, format: { cnt_ctl: 'config:19', l3missonly: 'config:16' } },
});

/** An arm64 server. */
export const ARM = fakeSources({
  ...SOFTWARE,
  armv8_pmuv3_0: {
    type: 8,
    format: { event: 'config:0-15', long: 'config1:0', rdpmc: 'config1:1' },
    events: { cpu_cycles: 'event=0x0011', l1d_cache_refill: 'event=0x0003' },
    cpus: '0-3',
  },
});

/** An Intel laptop with two kinds of cores. */
export const HYBRID = fakeSources({
  ...SOFTWARE,
  cpu_core: {
    type: 4,
    format: INTEL_FORMAT,
    events: { 'mem-loads': 'event=0xcd,umask=0x1,ldlat=3' },
    cpus: '0-3',
  },
  cpu_atom: {
    type: 10,
    format: INTEL_FORMAT,
    events: { 'mem-loads': 'event=0xd0,umask=0x5,ldlat=3' },
    cpus: '4-7',
  },
});

/** An arm64 board with two kinds of cores, and a shared cache's PMU that says on which CPUs it is. */
export const BIG_LITTLE = fakeSources({
  ...SOFTWARE,
  armv8_cortex_a53: {
    type: 8,
    format: { event: 'config:0-15' },
    events: { cpu_cycles: 'event=0x0011' },
    cpus: '0-3',
  },
  armv8_cortex_a72: {
    type: 9,
    format: { event: 'config:0-15' },
    events: { cpu_cycles: 'event=0x0011' },
    cpus: '4-5',
  },
  arm_dsu_0: { type: 10, format: { event: 'config:0-31' }, cpumask: '0' },
});

/** A PowerPC hypervisor: events that leave a part to the user. */
export const POWER = fakeSources({
  hv_24x7: {
    type: 9,
    format: { domain: 'config:0-3', core: 'config:16-31', offset: 'config:32-63' },
    events: { CPM_CYC: 'domain=0x2,offset=0x98,core=?' },
    cpumask: '0',
  },
});

/** A virtual machine without counters. */
export const NO_PMU = fakeSources(SOFTWARE);

/**
 * A spec in one line, so that a test can draw it: the name, then what is not the default, in a
 * fixed order. Guests are left out by default, so only `guests` says that they are counted.
 */
export function drawSpec(spec: EventSpec): string {
  const typeName = Object.entries(PERF_TYPE).find(([, type]) => type === spec.type)?.[0];
  const parts = [spec.name, '=', `${typeName ?? spec.type}/0x${spec.config.toString(16)}`];
  const notify = (part: string, isReported: boolean): void => {
    if (isReported) parts.push(part);
  };
  for (const field of ['config1', 'config2', 'config3'] as const) {
    notify(`${field}=0x${spec[field].toString(16)}`, spec[field] !== 0n);
  }
  notify(`bp=${spec.bpType}`, spec.bpType !== 0);
  const { guest, ...others } = spec.exclude;
  const excluded = Object.entries(others).flatMap(([key, isOut]) => (isOut ? [key] : []));
  notify(`-${excluded.join('-')}`, excluded.length > 0);
  notify('guests', !guest);
  notify(`precise=${spec.preciseIp}`, spec.preciseIp > 0);
  for (const flag of ['preciseIsMax', 'pinned', 'exclusive', 'sampleGroup', 'weakGroup'] as const) {
    notify(flag, spec[flag]);
  }
  notify(`group=${spec.group}${spec.leader ? ' leader' : ''}`, spec.group >= 0 || spec.leader);
  for (const key of [
    'period',
    'frequency',
    'defaultPeriod',
    'callGraph',
    'stackSizeBytes',
    'maxStack',
    'inherit',
  ] as const) {
    notify(`${key}=${spec[key]}`, spec[key] !== null);
  }
  notify(`cpus=${spec.cpus?.join('+')}`, spec.cpus !== null);
  notify('uncore', spec.isUncore);
  notify('ns', spec.unit === 'nanoseconds');
  return parts.join(' ');
}
