import type { Dso } from './types.ts';

/** JIT code as this program, perf's perf map, and `perf inject --jit` name it. */
const JIT_NAME = /^(\[JIT\] .*|perf-\d+\.map|jitted-\d+-\d+\.so)$/;

/** Code without a file, which some process made while it ran. */
export function isJitCode({ kind, name }: Pick<Dso, 'kind' | 'name'>): boolean {
  return kind === 'jit' || JIT_NAME.test(name);
}
