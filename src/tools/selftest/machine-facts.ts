import { arch, cpus, release } from 'node:os';
import { join } from 'node:path';
import { printable } from '../../base/printable.ts';
import { loadBinding } from '../../native/binding.ts';
import { detectKernelFeatures } from '../../system/kernel/kernel-features.ts';
import { readKernelSettings } from '../../system/kernel/kernel-settings.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { listOrEmpty, readTextOrEmpty } from '../../system/small-file.ts';
import type { MachineFacts } from './types.ts';

const PMU_FOLDER = '/sys/bus/event_source/devices';
/** The CPU's own PMU by the names that drivers give it; the first that exists is described. */
const CPU_PMU = /^(?:cpu|cpu_core|armv\d.*)$/;

/** Facts that decide how sampling behaves, and none that identify the machine. */
export function readMachineFacts(): MachineFacts {
  const cpuInfo = readTextOrEmpty('/proc/cpuinfo');
  const pmus = listOrEmpty(PMU_FOLDER).sort();
  const cpuPmu = pmus.find((name) => CPU_PMU.test(name));
  const header = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } };
  const glibc = header?.header?.glibcVersionRuntime;
  return {
    kernel: release(),
    arch: arch(),
    cpu: printable(describeCpu(cpuInfo)),
    onlineCpus: onlineCpus().length,
    isVirtual: /^flags\s*:/m.test(cpuInfo) ? /^flags\s*:.*\bhypervisor\b/m.test(cpuInfo) : null,
    libc: glibc === undefined ? 'unknown' : `glibc ${glibc}`,
    node: process.version,
    pmus: pmus.map(printable),
    pmuCaps: cpuPmu === undefined ? {} : readCaps(join(PMU_FOLDER, cpuPmu, 'caps')),
    settings: { ...readKernelSettings() },
    features: { ...detectKernelFeatures(loadBinding().probeEvent) },
  };
}

/** The model's name; on arm64 the numbers that stand for one. */
function describeCpu(cpuInfo: string): string {
  const model = cpus()[0]?.model;
  if (model !== undefined && model !== 'unknown' && model !== '') return model;
  const part = ['CPU implementer', 'CPU part', 'CPU variant', 'CPU revision'].flatMap((key) => {
    const value = new RegExp(`^${key}\\s*: (.*)$`, 'm').exec(cpuInfo)?.[1];
    return value === undefined ? [] : [`${key.slice(4)} ${value}`];
  });
  return part.length > 0 ? part.join(', ') : 'unknown';
}

function readCaps(folder: string): Record<string, string> {
  return Object.fromEntries(
    listOrEmpty(folder)
      .sort()
      .map((name) => [name, printable(readTextOrEmpty(join(folder, name)).trim())]),
  );
}
