import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { readLinkOrNull, readTextOrEmpty } from '../small-file.ts';
import { NODE } from './node-program.ts';
import { DENO_NAMING, JSC_NAMING, runtimeByName } from './other-runtimes.ts';
import { namesCode, V8_FLAGS } from './v8-flags.ts';

const PERMISSION = /^--(?:experimental-)?permission$/;
/** The reason why `--attach-js` names nothing of such a process, and the way that does. */
export const NO_INSPECTOR =
  "Node's permission model (--permission) keeps it from opening its inspector: start it with perf-ts record --node-flags";

/** Facts about a running process, as far as this process may look. */
export type ProcessFacts = {
  /** The path of its program; null if it is gone or hidden. */
  readonly program: string | null;
  readonly words: readonly string[];
  /** Its environment when it was started, `NAME=value` each. */
  readonly environment: readonly string[];
  /** Whether its perf map is there. */
  readonly hasMap: boolean;
};

/**
 * Sentences about what will be missing of running Node processes that were started without V8's
 * profiling flags, one sentence each, with the option that helps.
 */
export function explainAttachedNode(
  pids: readonly number[],
  factsOf: (pid: number) => ProcessFacts = readFacts,
): string[] {
  return pids.flatMap((pid) => {
    const facts = factsOf(pid);
    if (!isNode(facts)) return [];
    const isMapped = isNamed(facts);
    const interpreted = V8_FLAGS[1];
    if (isMapped && givenTo(facts).includes(interpreted)) return [];
    if (isMapped) {
      return [
        `process ${pid} runs Node without ${interpreted}: interpreted functions will be missing ` +
          'from stacks; restart it with that flag too',
      ];
    }
    if (forbidsInspector(givenTo(facts))) {
      return [
        `process ${pid} runs Node: its functions of JavaScript will have no names: ${NO_INSPECTOR}`,
      ];
    }
    return [
      `process ${pid} runs Node: its functions of JavaScript will have no names; perf-ts record --attach-js names them, ` +
        'by its inspector, which is open for some milliseconds then; a program that imports perf-ts/register is named without',
    ];
  });
}

/**
 * Sentences about what will be missing of running processes of Bun and Deno that were started without
 * what makes them name their code, one sentence each.
 */
export function explainAttachedRuntimes(
  pids: readonly number[],
  factsOf: (pid: number) => Pick<ProcessFacts, 'program' | 'environment'> = readFacts,
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

/** The processes that run Node and report their JavaScript in no way. */
export function unnamedNodes(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    const facts = readFacts(pid);
    return isNode(facts) && !isNamed(facts);
  });
}

/** Whether a process or thread runs Node, Bun or Deno, by the name of its program. */
export function isRuntime(pid: number): boolean {
  const name = basename(readProgram(pid) ?? '');
  return NODE.test(name) || runtimeByName(name) !== null;
}

function isNode({ program }: ProcessFacts): boolean {
  return program !== null && NODE.test(basename(program));
}

function isNamed(facts: ProcessFacts): boolean {
  return facts.hasMap || givenTo(facts).some(namesCode);
}

/** Node's options on its command line and in its environment, among other words. */
function givenTo({ words, environment }: ProcessFacts): string[] {
  return [...words.slice(1), ...nodeOptionsIn(environment).split(/\s+/)];
}

/** Whether Node's permission model keeps the inspector from a process that was given `words`. */
export function forbidsInspector(words: readonly string[]): boolean {
  return words.some((word) => PERMISSION.test(word)) && !words.includes('--allow-inspector');
}

/** The value of NODE_OPTIONS that a process was started with; empty without. */
export function readNodeOptions(pid: number): string {
  return nodeOptionsIn(readEnvironment(pid));
}

function nodeOptionsIn(environment: readonly string[]): string {
  const entry = environment.find((text) => text.startsWith('NODE_OPTIONS=')) ?? '';
  return entry.slice('NODE_OPTIONS='.length);
}

function readFacts(pid: number): ProcessFacts {
  const inner = /^NSpid:.*\s(\d+)$/m.exec(readTextOrEmpty(`/proc/${pid}/status`))?.[1] ?? pid;
  return {
    program: readProgram(pid),
    words: readTextOrEmpty(`/proc/${pid}/cmdline`).split('\0'),
    environment: readEnvironment(pid),
    hasMap: existsSync(`/proc/${pid}/root/tmp/perf-${inner}.map`),
  };
}

function readEnvironment(pid: number): string[] {
  return readTextOrEmpty(`/proc/${pid}/environ`).split('\0');
}

/** The path of a process's program; null where it is gone, or of another user. */
function readProgram(pid: number): string | null {
  return readLinkOrNull(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, '') ?? null;
}
