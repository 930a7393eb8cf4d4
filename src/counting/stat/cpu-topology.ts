import { readTextOrEmpty } from '../../system/small-file.ts';

/** The place of a CPU, by the kernel's ids. */
export type CpuPlace = {
  /** `physical_package_id`. */
  readonly socket: number;
  readonly die: number;
  /** Unique within the die only. */
  readonly core: number;
};

/** Reads `/sys/devices/system/cpu/cpuN/topology`; missing values (some arm64 boards) are 0. */
export function readCpuPlace(cpu: number, sysfs = '/sys'): CpuPlace {
  const read = (file: string): number => {
    const text = readTextOrEmpty(`${sysfs}/devices/system/cpu/cpu${cpu}/topology/${file}`);
    return Math.max(0, Number(text) || 0);
  };
  return { socket: read('physical_package_id'), die: read('die_id'), core: read('core_id') };
}
