import { UsageError } from './errors.ts';

/** A number above any CPU's that Linux can be built for (`CONFIG_NR_CPUS` ends at 8192). */
const MOST_CPUS = 65536;

/**
 * CPU numbers from the kernel's list form, `0-3,8`, as sysfs and `-C` write them: sorted, each
 * once. Throws `UsageError` for anything else, an empty list included.
 */
export function parseCpuList(text: string): number[] {
  const cpus = new Set<number>();
  for (const part of text.trim().split(',')) {
    const range = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(part);
    const first = Number(range?.[1]);
    const last = Number(range?.[2] ?? range?.[1]);
    if (range === null || last < first || last >= MOST_CPUS) {
      throw new UsageError(`'${text.trim()}' is not a list of CPUs: write it like 0-3,8`);
    }
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}

/** The shortest list form of `cpus`, in any order: `0-3,8`. */
export function formatCpuList(cpus: readonly number[]): string {
  const sorted = [...new Set(cpus)].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let i = 0; i < sorted.length; ) {
    const first = sorted[i];
    let last = first;
    while (sorted[++i] === last + 1) last++;
    parts.push(first === last ? `${first}` : `${first}-${last}`);
  }
  return parts.join(',');
}
