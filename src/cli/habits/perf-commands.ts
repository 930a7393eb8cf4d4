import { existsSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';

/** The line for who knows strace and perf trace. */
export const SYSTEM_CALLS =
  'system calls by function, how many and how long: sudo perf-ts record --syscalls -- ./app, then perf-ts report --syscalls';

/** Substitutes for commands of perf; a line that says what to do. */
const INSTEAD: Readonly<Record<string, string>> = {
  bench: 'perf-ts measures commands: perf-ts stat -r 10 -- ./app',
  'buildid-cache':
    'perf-ts needs no cache: perf-ts archive stores what names the samples with the recording',
  c2c: 'the addresses of data: perf-ts record -d; for shared cache lines: perf c2c, on the same kind of file',
  config:
    'defaults of your own are in ~/.config/perf-ts/config.json or PERF_TS_*; perf-ts doctor lists those in force',
  daemon: 'perf-ts record --switch-output=10m --switch-max-files 6 -a records on and on',
  data: 'perf-ts export --format folded|speedscope|firefox|pprof|cpuprofile converts; perf data reads the same file',
  ftrace: "tracepoints: sudo perf-ts record -a -e 'sched:*' -c 1, then perf-ts script",
  iostat: "block requests: sudo perf-ts record -a -e 'block:*' -c 1, then perf-ts script",
  kallsyms: 'symbols of the kernel: grep NAME /proc/kallsyms',
  kmem: "allocations of the kernel: sudo perf-ts record -a -g -e 'kmem:*', then perf-ts report",
  kvm: "events of KVM: sudo perf-ts record -a -e 'kvm:*', then perf-ts script",
  kwork:
    "work of the kernel: sudo perf-ts record -a -e 'irq:*,workqueue:*' -c 1, then perf-ts script",
  lock: 'who waits, where and for whom: sudo perf-ts record --off-cpu -g -- ./app',
  mem: 'the addresses of data: perf-ts record -d, then perf-ts script -F +addr,data_src; perf mem report reads the file',
  probe:
    'perf probe makes the event; perf-ts record -e probe:NAME records it as any other tracepoint',
  sched:
    'who waits, where and for whom: sudo perf-ts record --off-cpu -g -a --duration 5; perf sched reads recordings of sched:*',
  test: 'perf-ts doctor checks this machine, perf-ts doctor --selftest what the kernel samples',
  timechart:
    'what ran when: perf-ts view shows samples over time; perf timechart reads sched:* and power:*',
  trace: SYSTEM_CALLS,
};

/** Advice on what to do in place of `perf NAME`; null where perf has no such command, or perf-ts has it. */
export function insteadOfCommand(name: string): string | null {
  return Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : null;
}

/** Scripts that come with perf, by what stands in for them. */
const SCRIPTS: Readonly<Record<string, string>> = {
  flamegraph: 'a flame graph: perf-ts view, or perf-ts export --format html -o flames.html',
  stackcollapse: 'folded stacks: perf-ts export --format folded -o -',
  gecko: 'for profiler.firefox.com: perf-ts export --format firefox -o p.json',
  event_analyzing_sample: 'perf-ts script --json prints a line of JSON for each record',
};
const OTHER_SCRIPT =
  'perf-ts runs no scripts of perf: perf script reads the same file; for programs: perf-ts script --json';

/**
 * The substitute for `perf script report NAME`, `perf script record NAME` and `perf script NAME`;
 * null where the words mean none of these.
 */
export function insteadOfScript(words: readonly string[]): string | null {
  const [first = '', second] = words;
  const isNamed = first === 'report' || first === 'record';
  const name = isNamed ? second : first;
  if (name !== undefined && Object.hasOwn(SCRIPTS, name)) return SCRIPTS[name];
  return isNamed && second !== undefined ? OTHER_SCRIPT : null;
}

/** A hint in place of `perf list NAME`, by the lists that only perf has. */
const LISTS: Readonly<Record<string, string>> = {
  metric: 'metrics need no list: perf-ts stat prints them beside the events that they are made of',
  metricgroup:
    'metrics need no list: perf-ts stat prints them beside the events that they are made of',
  sdt: "perf probe makes events of a program’s SDT markers; perf-ts list 'sdt_*' has them then",
};

/** A hint in place of `perf list NAME`; null where perf-ts lists that too, or nobody does. */
export function insteadOfList(name: string): string | null {
  return Object.hasOwn(LISTS, name) ? LISTS[name] : null;
}

const STAT_TO_FILE =
  'perf stat keeps counts in a file; perf-ts stat --json -o FILE writes them as JSON';

/** A hint in place of `perf stat record` and `perf stat report`, where there is no program of that name. */
export function insteadOfStat(command: readonly string[]): string | null {
  return command[0] === 'record' || command[0] === 'report' ? STAT_TO_FILE : null;
}

/** Refuses `perf-ts script flamegraph`, where no recording has that name. Throws `UsageError`. */
export function checkIsNoPerfScript(path: string): void {
  const instead = insteadOfScript([path]);
  if (instead === null || existsSync(path)) return;
  throw new UsageError(`'${path}' is a script of perf, and no recording here`, [instead]);
}
