import { basename } from 'node:path';
import { readLinkOrNull, readTextOrEmpty } from '../small-file.ts';
import { NODE } from './node-in-shell.ts';
import { DENO_NAMING, JSC_NAMING, runtimeByName } from './other-runtimes.ts';

/** Facts about a running process, as far as this process may look. */
export type RuntimeFacts = {
  /** The path of its program; null if it is gone or hidden. */
  readonly program: string | null;
  /** Its environment when it was started, `NAME=value` each. */
  readonly environment: readonly string[];
};

/**
 * Sentences about what will be missing of running processes of Bun and Deno that were started without
 * what makes them name their code, one sentence each.
 */
export function explainAttachedRuntimes(
  pids: readonly number[],
  factsOf: (pid: number) => RuntimeFacts = readFacts,
): string[] {
  return pids.flatMap((pid) => {
    const { program, environment } = factsOf(pid);
    const runtime = program === null ? null : runtimeByName(basename(program));
    if (runtime === null) return [];
    const [name, value, has] =
      runtime === 'bun'
        ? ['Bun', JSC_NAMING, /^BUN_JSC_useJITDump=(?!0|false|$)/]
        : (['Deno', DENO_NAMING, /^DENO_V8_FLAGS=.*--perf[-_](?:basic[-_])?prof/] as const);
    if (environment.some((entry) => has.test(entry))) return [];
    return [
      `process ${pid} runs ${name} without names of its code: functions of JavaScript will have none ` +
        `(native code and the kernel will); start it with ${value}, or let perf-ts start it`,
    ];
  });
}

/** Whether a process or thread runs Node, Bun or Deno, by the name of its program. */
export function isRuntime(pid: number): boolean {
  const name = basename(readProgram(pid) ?? '');
  return NODE.test(name) || runtimeByName(name) !== null;
}

/** The path of a process's program; null where it is gone, or of another user. */
export function readProgram(pid: number): string | null {
  return readLinkOrNull(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, '') ?? null;
}

function readFacts(pid: number): RuntimeFacts {
  const environment = readTextOrEmpty(`/proc/${pid}/environ`).split('\0');
  return { program: readProgram(pid), environment };
}
