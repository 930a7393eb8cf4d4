import { PERF_TYPE } from '../../base/event-type.ts';
import { CACHE_EVENTS } from './cache-events.ts';
import { findGenericEvent, HARDWARE_EVENTS, SOFTWARE_EVENTS } from './generic-events.ts';

/** The upper half of config names the PMU on machines with two kinds of cores. */
const CONFIG_MASK = 0xffff_ffffn;

/**
 * The role of an event in metrics: perf's generic name of it, the name that its PMU gives it
 * (`pmuEvent`), or empty. By number and not by text, so that `cpu-cycles`, `cycles:u` and
 * `cpu_core/cycles/` are all `cycles`.
 */
export function eventRole(type: number, config: bigint, pmuEvent: string): string {
  const number = config & CONFIG_MASK;
  switch (type) {
    case PERF_TYPE.HARDWARE:
      return HARDWARE_EVENTS.find((event) => event.config === number)?.name ?? '';
    case PERF_TYPE.SOFTWARE:
      return SOFTWARE_EVENTS.find((event) => event.config === number)?.name ?? '';
    case PERF_TYPE.HW_CACHE:
      return CACHE_EVENTS.find((event) => event.config === number)?.name ?? '';
    case PERF_TYPE.TRACEPOINT:
    case PERF_TYPE.BREAKPOINT:
      return '';
  }
  if (pmuEvent.startsWith('energy-')) return 'energy';
  const generic = findGenericEvent(HARDWARE_EVENTS, pmuEvent)?.name;
  return generic ?? ARM_NAMES[pmuEvent] ?? pmuEvent;
}

/** Generic names of the architecture's events of arm64. */
const ARM_NAMES: Readonly<Record<string, string>> = {
  cpu_cycles: 'cycles',
  inst_retired: 'instructions',
  br_retired: 'branches',
  br_mis_pred_retired: 'branch-misses',
};

/** The part of the program that an event counts: events of different domains are not compared. */
export function eventDomain(exclude: { readonly user: boolean; readonly kernel: boolean }): string {
  return `${exclude.user ? 'k' : ''}${exclude.kernel ? 'u' : ''}`;
}

/** The name of a PMU's event in `cpu_core/cycles/u`; empty where the text has numbers or no PMU. */
export function pmuEventOfText(name: string): string {
  return /^[\w-]+\/([\w.-]+)(?=[/,])/.exec(name)?.[1] ?? '';
}
