import { getOrMake } from '../../base/group-by.ts';
import type { Aggregation } from '../../options/stat.ts';
import { readTextOrEmpty } from '../../system/small-file.ts';
import { commOf, type Place } from './places.ts';

/** The subject of one row of a report: everything, or a part of the machine or target. */
export type StatUnit = {
  /** `S0-D0-C1`, `CPU3`, `node-1234`, a control group's path; empty for everything. */
  readonly label: string;
  /** How many CPUs or threads are added up in it. */
  readonly places: number;
};

/** Says which unit a place belongs to, by label. */
export class UnitFinder {
  readonly #aggregation: Aggregation;
  readonly #cgroups: readonly string[];
  readonly #cpuPlaces = new Map<number, CpuPlace>();
  readonly #comms = new Map<number, string>();

  constructor(aggregation: Aggregation, cgroups: readonly string[]) {
    this.#aggregation = aggregation;
    this.#cgroups = cgroups;
  }

  labelOf(place: Place): string {
    const cgroup = this.#cgroups[place.cgroup];
    const part = this.#partOf(place);
    return [part, cgroup].filter((text) => text !== undefined && text !== '').join(' ');
  }

  /** Remembers the names of threads while they are there. */
  #partOf({ cpu, tid }: Place): string {
    switch (this.#aggregation) {
      case 'total':
        return '';
      case 'cpu':
        return `CPU${cpu}`;
      case 'socket':
        return `S${this.#cpuPlaceOf(cpu).socket}`;
      case 'core': {
        const { socket, die, core } = this.#cpuPlaceOf(cpu);
        return `S${socket}-D${die}-C${core}`;
      }
      case 'thread': {
        // A device counts on a CPU, whatever threads are counted beside it.
        if (tid < 0) return `CPU${cpu}`;
        const comm = getOrMake(this.#comms, tid, () => commOf(tid));
        return `${comm}-${tid}`;
      }
    }
  }

  #cpuPlaceOf(cpu: number): CpuPlace {
    return getOrMake(this.#cpuPlaces, cpu, () => readCpuPlace(cpu));
  }
}

/** The place of a CPU, by the kernel's ids. */
type CpuPlace = {
  /** `physical_package_id`. */
  readonly socket: number;
  readonly die: number;
  /** Unique within the die only. */
  readonly core: number;
};

/** Reads `/sys/devices/system/cpu/cpuN/topology`; missing values (some arm64 boards) are 0. */
function readCpuPlace(cpu: number): CpuPlace {
  const read = (file: string): number => {
    const text = readTextOrEmpty(`/sys/devices/system/cpu/cpu${cpu}/topology/${file}`);
    return Math.max(0, Number(text) || 0);
  };
  return { socket: read('physical_package_id'), die: read('die_id'), core: read('core_id') };
}
