import { PERF_COUNT_SW, PERF_TYPE } from '../../base/event-type.ts';

/** An event whose name and number are the same on every machine. */
export type GenericEvent = {
  readonly name: string;
  readonly aliases: readonly string[];
  readonly config: bigint;
};

/** `enum perf_hw_id`, in its order. */
export const HARDWARE_EVENTS: readonly GenericEvent[] = numbered([
  ['cycles', 'cpu-cycles'],
  ['instructions'],
  ['cache-references'],
  ['cache-misses'],
  ['branches', 'branch-instructions'],
  ['branch-misses'],
  ['bus-cycles'],
  ['stalled-cycles-frontend', 'idle-cycles-frontend'],
  ['stalled-cycles-backend', 'idle-cycles-backend'],
  ['ref-cycles'],
]);

/** `enum perf_sw_ids`, in its order. */
export const SOFTWARE_EVENTS: readonly GenericEvent[] = numbered([
  ['cpu-clock'],
  ['task-clock'],
  ['page-faults', 'faults'],
  ['context-switches', 'cs'],
  ['cpu-migrations', 'migrations'],
  ['minor-faults'],
  ['major-faults'],
  ['alignment-faults'],
  ['emulation-faults'],
  ['dummy'],
  ['bpf-output'],
  ['cgroup-switches'],
]);

const CPU_CLOCK = BigInt(PERF_COUNT_SW.CPU_CLOCK);
const TASK_CLOCK = BigInt(PERF_COUNT_SW.TASK_CLOCK);
const BPF_OUTPUT = BigInt(PERF_COUNT_SW.BPF_OUTPUT);

/** The two timers among the software events: their unit is nanoseconds. */
export function isClock(type: number, config: bigint): boolean {
  return type === PERF_TYPE.SOFTWARE && (config === CPU_CLOCK || config === TASK_CLOCK);
}

/** Events of which perf takes every one when neither period nor frequency is asked for. */
export function isTakenSingly(type: number, config: bigint): boolean {
  return (
    type === PERF_TYPE.TRACEPOINT ||
    type === PERF_TYPE.BREAKPOINT ||
    (type === PERF_TYPE.SOFTWARE && config === BPF_OUTPUT)
  );
}

/** The event of that name or alias, null if there is none. */
export function findGenericEvent(
  events: readonly GenericEvent[],
  name: string,
): GenericEvent | null {
  return events.find((event) => event.name === name || event.aliases.includes(name)) ?? null;
}

function numbered(rows: readonly (readonly [string, ...string[]])[]): GenericEvent[] {
  return rows.map(([name, ...aliases], index) => ({ name, aliases, config: BigInt(index) }));
}
