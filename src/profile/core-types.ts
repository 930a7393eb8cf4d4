import { NONE } from '../base/brand.ts';
import type { EventJoin } from './join-events.ts';
import type { CoreType, ProfileEvent } from './types.ts';

/**
 * The name of an event without the kind of core that it counts on, as it is written where all cores
 * are alike; unchanged where it names none. Bits (`event=0x3c`) are something else on each kind.
 *
 *     cpu_core/cycles/P                       cycles:P
 *     armv8_cortex_a72/cycles,period=1000/u   cycles/period=1000/u
 *     cpu_atom/event=0x3c/                    cpu_atom/event=0x3c/
 */
export function nameOnAllCores(name: string, coreTypes: readonly CoreType[]): string {
  const [, pmu, event, terms, modifiers] = PMU_EVENT.exec(name) ?? [];
  if (event === undefined || !coreTypes.some((type) => type.name === pmu)) return name;
  if (terms !== undefined) return `${event}/${terms}/${modifiers}`;
  return modifiers === '' ? event : `${event}:${modifiers}`;
}

/** PMU/EVENT,TERMS/MODIFIERS, the event being a name. */
const PMU_EVENT = /^([^/]+)\/([^/,=]+)(?:,([^/]*))?\/([a-zA-Z]*)$/;

/**
 * Makes an event that was opened once for each kind of core one event again. Its samples are of
 * disjoint CPUs, so that nothing is counted twice. `names` are those of the events that may become one,
 * null for all that name a kind of core. Null where no two do.
 */
export function planCoreJoin(
  events: readonly ProfileEvent[],
  coreTypes: readonly CoreType[],
  names: readonly string[] | null,
): EventJoin | null {
  if (coreTypes.length < 2) return null;
  const parts = names === null ? null : new Set(names);
  const shown = events.map(({ name }) => nameOnAllCores(name, coreTypes));
  const keys = events.map(({ name, mode, frequencyHz, unit }, event) => {
    const isPart = parts === null ? name !== shown[event] : parts.has(name);
    return isPart ? [shown[event], mode, frequencyHz, unit].join('\0') : `\0${event}`;
  });
  const kept: ProfileEvent[] = [];
  const rows = new Map<string, number>();
  const newRow = Int32Array.from(events, (event, index) => {
    const row = rows.get(keys[index]) ?? NONE;
    if (row === NONE) {
      rows.set(keys[index], kept.length);
      return kept.push(event) - 1;
    }
    // A fact of one kind of core only is none of the whole.
    const isAlike = kept[row].fixedPeriod === event.fixedPeriod;
    const fixedPeriod = isAlike ? event.fixedPeriod : null;
    const { driverRule, probedRule, ...joined } = kept[row];
    const isOneRule = driverRule?.rule === event.driverRule?.rule;
    const isOneProbed = probedRule?.rule === event.probedRule?.rule;
    kept[row] = {
      ...joined,
      name: shown[index],
      fixedPeriod,
      ...(isOneRule && driverRule && { driverRule }),
      ...(isOneProbed && probedRule && { probedRule }),
    };
    return row;
  });
  return kept.length === events.length ? null : { events: kept, newRow };
}

/** Per CPU number the row of `coreTypes`, −1 for a CPU of none. */
export function coreTypeOfCpu(coreTypes: readonly CoreType[]): (cpu: number) => number {
  const rows = new Map<number, number>();
  coreTypes.forEach(({ cpus }, row) => {
    for (const cpu of cpus) rows.set(cpu, row);
  });
  return (cpu) => rows.get(cpu) ?? NONE;
}
