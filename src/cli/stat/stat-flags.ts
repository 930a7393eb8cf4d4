import { parseCpuList } from '../../base/cpu-list.ts';
import { UsageError } from '../../base/errors.ts';
import type { Aggregation, StatOptions } from '../../counting/stat/stat-options.ts';
import { positiveNumber, taskIds, wholeNumber } from '../shared/option-values.ts';

/** The options as commander hands them over. */
export type StatFlags = {
  event?: string[];
  detailed: number;
  topdown?: boolean;
  allUser?: boolean;
  allKernel?: boolean;
  pid?: string;
  tid?: string;
  allCpus?: boolean;
  cpu?: string;
  forEachCgroup?: string;
  inherit: boolean;
  user?: string;
  asRoot?: boolean;
  aggr: boolean;
  perCore?: boolean;
  perSocket?: boolean;
  perThread?: boolean;
  repeat?: string;
  table?: boolean;
  intervalPrint?: string;
  intervalCount?: string;
  delay?: string;
  duration?: string;
  /** perf's spelling of `duration`, in milliseconds. */
  timeout?: string;
  json?: boolean;
  fieldSeparator?: string;
  output?: string;
  quiet?: boolean;
  verbose?: boolean;
};

/** Shorter intervals than this would measure the reading of the counters; perf's limit. */
const SHORTEST_INTERVAL_MS = 10;

/** Turns the command line into options; throws UsageError naming the option that is wrong. */
export function readStatOptions(command: readonly string[], flags: StatFlags): StatOptions {
  if (flags.json && flags.fieldSeparator !== undefined) {
    throw new UsageError('--json and -x exclude each other');
  }
  if (flags.allUser && flags.allKernel) {
    throw new UsageError('--all-user and --all-kernel exclude each other');
  }
  const aggregation = readAggregation(flags);
  return {
    inherit: flags.inherit,
    detail: Math.min(flags.detailed, 3),
    topdown: flags.topdown === true,
    ...(command.length > 0 && { command }),
    ...(flags.event !== undefined && { events: flags.event }),
    ...(flags.allUser && { only: 'user' as const }),
    ...(flags.allKernel && { only: 'kernel' as const }),
    ...(flags.pid !== undefined && { pids: taskIds('-p', flags.pid) }),
    ...(flags.tid !== undefined && { tids: taskIds('-t', flags.tid) }),
    ...(flags.allCpus && { systemWide: true }),
    ...(flags.cpu !== undefined && { cpus: parseCpuList(flags.cpu) }),
    ...(flags.forEachCgroup !== undefined && { cgroups: paths(flags.forEachCgroup) }),
    ...(flags.user !== undefined && { user: flags.user }),
    ...(flags.asRoot && { asRoot: true }),
    ...(aggregation !== null && { aggregation }),
    ...(flags.repeat !== undefined && { repeat: repeats(flags.repeat) }),
    ...(flags.intervalPrint !== undefined && { intervalMs: interval(flags.intervalPrint) }),
    ...(flags.delay !== undefined && { delayMs: wholeNumber('-D', flags.delay) }),
    ...(flags.timeout !== undefined && { durationMs: positiveNumber('--timeout', flags.timeout) }),
    ...(flags.duration !== undefined && {
      durationMs: positiveNumber('--duration', flags.duration) * 1000,
    }),
  };
}

function readAggregation(flags: StatFlags): Aggregation | null {
  const chosen: [string, Aggregation][] = [];
  if (!flags.aggr) chosen.push(['-A', 'cpu']);
  if (flags.perCore) chosen.push(['--per-core', 'core']);
  if (flags.perSocket) chosen.push(['--per-socket', 'socket']);
  if (flags.perThread) chosen.push(['--per-thread', 'thread']);
  if (chosen.length > 1) {
    throw new UsageError(`${chosen.map(([option]) => option).join(' and ')} exclude each other`);
  }
  return chosen[0]?.[1] ?? null;
}

function paths(text: string): string[] {
  const list = text.split(',').filter((path) => path !== '');
  if (list.length === 0) throw new UsageError('--for-each-cgroup: name a control group');
  return list;
}

function repeats(text: string): number {
  const runs = wholeNumber('-r', text);
  if (runs < 1) throw new UsageError('-r 0: at least one run');
  return runs;
}

function interval(text: string): number {
  const ms = wholeNumber('-I', text);
  if (ms >= SHORTEST_INTERVAL_MS) return ms;
  throw new UsageError(`-I ${text}: at least ${SHORTEST_INTERVAL_MS} ms`);
}
