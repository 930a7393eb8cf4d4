import { NONE } from '../../base/brand.ts';
import { pidOfJit } from '../../profile/jit-dso.ts';
import type { Profile } from '../../profile/types.ts';

/** Deno's program, as it is installed. */
const DENO = /^deno(?:-\d[\d.]*)?$/;

/**
 * Which DSOs are the JIT code of processes that run Deno: those with samples in a program of that name.
 */
export function findDenoCode({ dsos, frames, stacks, samples, threads }: Profile) {
  const isDeno = dsos.map(({ name }) => DENO.test(name));
  const pids = new Set<number>();
  if (isDeno.includes(true)) {
    const hasDeno = new Uint8Array(stacks.length);
    // Prefixes come first.
    for (let stack = 0; stack < stacks.length; stack++) {
      const prefix = stacks.prefix[stack];
      const dso = frames.dso[stacks.frame[stack]];
      const isOne = dso !== NONE && isDeno[dso];
      hasDeno[stack] = isOne || (prefix !== NONE && hasDeno[prefix] === 1) ? 1 : 0;
    }
    for (let sample = 0; sample < samples.length; sample++) {
      const stack = samples.stack[sample];
      if (stack === NONE || hasDeno[stack] === 0) continue;
      const thread = threads[samples.thread[sample]];
      if (thread !== undefined) pids.add(thread.pid);
    }
  }
  return (dso: number): boolean => {
    const pid = pidOfJit(dsos[dso]);
    return pid !== null && pids.has(pid);
  };
}
