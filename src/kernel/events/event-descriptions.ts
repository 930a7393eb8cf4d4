/** What hardware and software events count, in a line each. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  cycles: 'cycles of the CPU core, at its present frequency',
  instructions: 'instructions that were completed',
  'cache-references': 'accesses to the last cache, as the CPU defines them',
  'cache-misses': 'accesses that the last cache could not serve',
  branches: 'branch instructions that were completed',
  'branch-misses': 'branches that were predicted wrongly',
  'bus-cycles': 'cycles of the bus clock',
  'stalled-cycles-frontend': 'cycles without instructions from fetch and decode',
  'stalled-cycles-backend': 'cycles without room or results in execution',
  'ref-cycles': 'cycles at the nominal frequency',
  'cpu-clock': 'nanoseconds of wall time while on a CPU',
  'task-clock': 'nanoseconds that the task ran',
  'page-faults': 'pages that were not mapped when used',
  'context-switches': 'switches to another task',
  'cpu-migrations': 'moves of the task to another CPU',
  'minor-faults': 'page faults served from memory',
  'major-faults': 'page faults served from storage',
  'alignment-faults': 'unaligned accesses that the kernel mended',
  'emulation-faults': 'instructions that the kernel emulated',
  dummy: 'nothing; carries side-band records',
  'bpf-output': 'records that BPF programs write',
  'cgroup-switches': 'switches to a task of another control group',
};

/** What the event counts, in a few words; empty for a name that is not generic. */
export function describeGenericEvent(name: string): string {
  return DESCRIPTIONS[name] ?? '';
}

const CACHES: readonly (readonly [start: string, words: string])[] = [
  ['L1-dcache', 'first-level data cache'],
  ['L1-icache', 'first-level instruction cache'],
  ['LLC', 'last-level cache'],
  ['dTLB', 'translations of data addresses'],
  ['iTLB', 'translations of instruction addresses'],
  ['branch', 'branch prediction'],
  ['node', "memory of the CPU's own node"],
];

const OPERATIONS = ['loads', 'stores', 'prefetches'];

/** `L1-dcache-load-misses` -> `first-level data cache: loads that missed`. */
export function describeCacheEvent(name: string): string {
  const [start, cache] = CACHES.find(([word]) => name.startsWith(`${word}-`)) ?? ['', ''];
  const rest = name.slice(start.length + 1);
  const operation = OPERATIONS.find((word) => rest.startsWith(word.slice(0, 4))) ?? rest;
  return `${cache}: ${operation}${rest.endsWith('-misses') ? ' that missed' : ''}`;
}
