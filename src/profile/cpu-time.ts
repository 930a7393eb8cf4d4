import type { SamplingMode, Weights } from './types.ts';

type Described = { readonly name: string; readonly mode: SamplingMode; readonly unit: string };

/** The kernel's clocks of a task or CPU, and the time on a CPU of pprof. */
const CPU_CLOCK = /^(?:cpu-clock|task-clock|cpu)(?=$|[:/])/;

/**
 * Whether weights of an event in nanoseconds are time on a CPU. Engines and other profilers take samples by time that
 * passes, and waits are time off a CPU.
 */
export function isCpuTime({ name, mode, unit }: Described) {
  return mode === 'clock' && unit === 'nanoseconds' && CPU_CLOCK.test(name);
}

/** The name of what the weights of an event are, in the unit that they have: `CPU time`, `wall time`, `samples`, `cycles`. */
export function quantityName(
  event: Described,
  { unit, kind }: Pick<Weights, 'unit' | 'kind'>,
): string {
  if (unit === 'samples') return 'samples';
  if (unit !== 'nanoseconds' || !isCpuTime(event)) return event.name;
  return kind === 'wall' ? 'wall time' : 'CPU time';
}
