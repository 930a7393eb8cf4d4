import { readTextOrEmpty } from '../../system/small-file.ts';
import type { NominalRate } from '../cpu/time-stamp.ts';

/**
 * The rate of the time stamp counter that the kernel found, where CPUID says none: `cpu MHz` of
 * /proc/cpuinfo. On processors that count their own cycles (`aperfmperf`) that is the present
 * frequency of the core, which is another thing: null.
 */
export function readKernelRate(cpuinfo = readTextOrEmpty('/proc/cpuinfo')): NominalRate | null {
  const mhz = /^cpu MHz\s*:\s*(\d+\.\d+)$/m.exec(cpuinfo)?.[1];
  const hasOwnCount = /^flags\s*:.*\baperfmperf\b/m.test(cpuinfo);
  if (mhz === undefined || hasOwnCount) return null;
  return { hz: Math.round(Number(mhz) * 1e6), where: '/proc/cpuinfo' };
}
