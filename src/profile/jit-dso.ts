import type { Dso } from './types.ts';

/** JIT code as this program, perf's perf map, and `perf inject --jit` name it. */
const JIT_NAME = /^(\[JIT\] .*|perf-\d+\.map|jitted-\d+-\d+\.so)$/;

/** Code without a file, which some process made while it ran. */
export function isJitCode({ kind, name }: Pick<Dso, 'kind' | 'name'>): boolean {
  return kind === 'jit' || JIT_NAME.test(name);
}

const JIT_OF_PROCESS = /^\[JIT\] tid (\d+)$/;

/** The process whose JIT code a DSO is; null: of several, or none. */
export function pidOfJit(dso: Pick<Dso, 'name'> | undefined): number | null {
  const pid = JIT_OF_PROCESS.exec(dso?.name ?? '')?.[1];
  return pid === undefined ? null : Number(pid);
}
