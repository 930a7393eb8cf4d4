import { NONE } from './brand.ts';

/** Twice as many as a kernel can be built for (NR_CPUS), less one: there are tables by CPU + 1. */
const MOST_CPUS = 2 ** 14 - 1;

/** The number of a CPU as a record has it, −1 where none can be meant. */
export function knownCpu(cpu: number): number {
  return cpu >= 0 && cpu < MOST_CPUS ? cpu : NONE;
}
