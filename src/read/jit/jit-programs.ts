import { NONE } from '../../base/brand.ts';
import type { JitProgram } from '../../base/diagnostic-code.ts';
import { isUnnamed } from '../../profile/func-table.ts';
import { isJitCode, pidOfJit } from '../../profile/jit-dso.ts';
import { stacksWith } from '../../profile/stacks-with.ts';
import type { Profile } from '../../profile/types.ts';

/** Programs that make code as they run, by the names of their files. */
const PROGRAMS: readonly (readonly [RegExp, JitProgram])[] = [
  [/^deno(?:-\d[\d.]*)?$/, 'deno'],
  [/^bun(?:\.exe|-debug)?$/, 'bun'],
  [/^(?:node(?:js)?(?:-?\d[\d.]*)?|libnode\.so\.\d+)$/, 'node'],
  [/^(?:chrom(?:e|ium)|chrome-headless-shell|headless_shell|electron|msedge|brave)$/, 'chromium'],
];

/** The processes of a profile that make code as they run, as their stacks tell. */
export type JitProcesses = {
  /** The program that a process runs; absent where its files have other names. */
  readonly programs: ReadonlyMap<number, JitProgram>;
  /** Processes of whose code something has a name. */
  readonly named: ReadonlySet<number>;
};

/** Finds these: a process runs a program that its samples lie in. */
export function findJitProcesses(profile: Profile): JitProcesses {
  const { dsos, frames, funcs, stacks, samples, threads, strings } = profile;
  const programs = new Map<number, JitProgram>();
  const named = new Set<number>();
  if (!dsos.some(isJitCode)) return { programs, named };
  const programOfDso = dsos.map(({ name }) =>
    PROGRAMS.findIndex(([pattern]) => pattern.test(name)),
  );
  const isNamed = Array.from(
    funcs.name,
    (name, func) => isJitCode(dsos[funcs.dso[func]] ?? NO_DSO) && !isUnnamed(strings[name]),
  );
  const programOf = new Int8Array(stacks.length).fill(NONE);
  const hasName = stacksWith(profile, (func) => isNamed[func]);
  // Prefixes come first.
  for (let stack = 0; stack < stacks.length; stack++) {
    const prefix = stacks.prefix[stack];
    const dso = frames.dso[stacks.frame[stack]];
    const own = dso === NONE ? NONE : programOfDso[dso];
    programOf[stack] = own !== NONE || prefix === NONE ? own : programOf[prefix];
  }
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stack[sample];
    const thread = threads[samples.thread[sample]];
    if (stack === NONE || thread === undefined) continue;
    const program = programOf[stack];
    if (program !== NONE) programs.set(thread.pid, PROGRAMS[program][1]);
    if (hasName[stack] === 1) named.add(thread.pid);
  }
  return { programs, named };
}

const NO_DSO = { kind: 'unknown', name: '' } as const;

/** Which DSOs are the JIT code of processes that run Deno. */
export function codeOfDeno(
  { dsos }: Profile,
  { programs }: JitProcesses,
): (dso: number) => boolean {
  return (dso) => {
    const pid = pidOfJit(dsos[dso]);
    return pid !== null && programs.get(pid) === 'deno';
  };
}
