import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { readTextOrEmpty } from '../small-file.ts';
import { readProgram } from './attached-runtime.ts';
import { namesCode, V8_FLAGS } from './v8-flags.ts';

/** Facts about a running process, as far as this process may look. */
export type ProcessFacts = {
  /** The path of its program; null if it is gone or hidden. */
  readonly program: string | null;
  readonly words: readonly string[];
  /** Its NODE_OPTIONS when it was started. */
  readonly nodeOptions: string;
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
    return [
      `process ${pid} runs Node without V8's perf map: functions of JavaScript will have no names (native code and ` +
        'the kernel will); perf-ts record --attach-js names them, by its inspector, which is open for some ' +
        'milliseconds then; a program that imports perf-ts/register is named without',
    ];
  });
}

/** Those of the processes that run Node and report their JavaScript in no way. */
export function unnamedNodes(
  pids: readonly number[],
  factsOf: (pid: number) => ProcessFacts = readFacts,
): number[] {
  return pids.filter((pid) => {
    const facts = factsOf(pid);
    return isNode(facts) && !isNamed(facts);
  });
}

function isNode({ program }: ProcessFacts): boolean {
  return program !== null && /^node(?:js)?(?:-?\d[\d.]*)?$/.test(basename(program));
}

function isNamed(facts: ProcessFacts): boolean {
  return facts.hasMap || givenTo(facts).some(namesCode);
}

/** Node's options on its command line and in its environment, among other words. */
function givenTo({ words, nodeOptions }: ProcessFacts): string[] {
  return [...words.slice(1), ...nodeOptions.split(/\s+/)];
}

/** The value of NODE_OPTIONS that a process was started with; empty without. */
export function readNodeOptions(pid: number): string {
  const environment = readTextOrEmpty(`/proc/${pid}/environ`).split('\0');
  const entry = environment.find((text) => text.startsWith('NODE_OPTIONS=')) ?? '';
  return entry.slice('NODE_OPTIONS='.length);
}

function readFacts(pid: number): ProcessFacts {
  const inner = /^NSpid:.*\s(\d+)$/m.exec(readTextOrEmpty(`/proc/${pid}/status`))?.[1] ?? pid;
  return {
    program: readProgram(pid),
    words: readTextOrEmpty(`/proc/${pid}/cmdline`).split('\0'),
    nodeOptions: readNodeOptions(pid),
    hasMap: existsSync(`/proc/${pid}/root/tmp/perf-${inner}.map`),
  };
}
