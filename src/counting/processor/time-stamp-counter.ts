import { readTextOrEmpty } from '../../system/small-file.ts';
import type { CounterGroup } from '../count/counter-group.ts';
import type { NominalRate } from '../cpu/time-stamp.ts';

/** The time stamp counter (`msr/tsc/`), and how fast it goes. */
export type TimeStamp = {
  /** Ticks since the counters were opened; perfmon's counts from the boot. */
  readonly value: bigint;
  /** Ticks a second, by the kernel's clock, over all of that time; null before there is any. */
  readonly measuredHz: number | null;
  /** Rate reported by the processor, the hypervisor or the kernel; null where none reports it. */
  readonly nominal: NominalRate | null;
  /**
   * `cpu`: it goes on while the thread sleeps. `thread`: only while the thread runs, since whole CPUs
   * may not be counted.
   */
  readonly counts: 'cpu' | 'thread';
};

/** Reads it. The kernel takes the ticks and its clock together, so the rate is theirs alone. */
export function readTimeStamp(
  group: CounterGroup<'tsc'>,
  about: Pick<TimeStamp, 'nominal' | 'counts'>,
): TimeStamp {
  const { raw, runningNs } = group.read();
  const value = raw.tsc ?? 0n;
  const measuredHz = runningNs > 0 ? (Number(value) / runningNs) * 1e9 : null;
  return { value, measuredHz, ...about };
}

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
