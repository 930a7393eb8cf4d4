import { readEventSources } from '../../system/kernel/machine-events.ts';
import { type CoreKind, readCores } from './cores.ts';
import {
  describePmus,
  type RegisteredPmu,
  readUserReads,
  type UserReads,
} from './registered-pmus.ts';
import { type WhyNone, whyNoCounters } from './why-no-counters.ts';

/** The hardware counters of this machine's processor, and the part of them that the kernel offers. */
export type CpuReport = {
  readonly schema: 'perf-ts/cpu@1';
  /** Node's name of the architecture: `x64`, `arm64`. */
  readonly architecture: string;
  readonly cores: readonly CoreKind[];
  readonly pmus: readonly RegisteredPmu[];
  /** Null without a PMU that could be read so. */
  readonly userReads: UserReads | null;
  /** Null where hardware counters are there. */
  readonly whyNone: WhyNone | null;
};

/**
 * Reads CPUID and the registered PMUs of this machine, as `perf-ts cpu` does.
 *
 * @example
 * ```ts
 * import { reportCpu } from 'perf-ts';
 *
 * const { architecture, cores, whyNone } = reportCpu();
 * console.log(architecture, cores.length, whyNone?.reason ?? 'hardware counters are there');
 * ```
 */
export function reportCpu(): CpuReport {
  const cores = readCores();
  const pmus = describePmus(readEventSources());
  return {
    schema: 'perf-ts/cpu@1',
    architecture: process.arch,
    cores,
    pmus,
    userReads: readUserReads(),
    whyNone: whyNoCounters(cores, pmus),
  };
}
