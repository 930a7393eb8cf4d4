import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { formatCpuList, parseCpuList } from '../../base/cpu-list.ts';
import { FailedError, failedBy } from '../../base/errors.ts';
import { systemErrorReason } from '../../base/system-error.ts';

/**
 * CPUs that are online. Without sysfs, as many as /proc counts. Throws `FailedError` where the list is
 * there and can't be read: a recording would miss whole CPUs and nobody would know.
 */
export function onlineCpus(sysfs = '/sys'): number[] {
  const file = join(sysfs, 'devices/system/cpu/online');
  try {
    const list = readFileSync(file, 'utf8').trim();
    if (list !== '') return parseCpuList(list);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') {
      throw failedBy(
        error,
        `cannot read which CPUs are online from ${file}: ${systemErrorReason(error)}`,
      );
    }
  }
  return Array.from({ length: Math.max(1, cpus().length) }, (_, cpu) => cpu);
}

/** The CPUs asked for, or all that are online. Throws `FailedError` for one that is not. */
export function checkCpuOption(
  asked: readonly number[] | undefined,
  online: readonly number[] = onlineCpus(),
): readonly number[] {
  const missing = asked?.filter((cpu) => !online.includes(cpu)) ?? [];
  if (missing.length === 0) return asked ?? online;
  throw new FailedError(`-C: CPU ${formatCpuList(missing)} is not online here`, [
    `these are: ${formatCpuList(online)}`,
  ]);
}
