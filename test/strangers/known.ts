// Differences that a recording is known to make in a program: docs/decisions/0045-inside-the-program.md lists them. Each
// has a program of its own that shows nothing else, and is held to exactly that difference.

import type { Cell, Seen } from './ways.ts';

type Holds = (plain: string, recorded: string) => boolean;

const without = (text: string, line: RegExp): string =>
  text
    .split('\n')
    .filter((one) => !line.test(one))
    .join('\n');

/** By program, of its standard output. */
const KNOWN: Readonly<Record<string, Holds>> = {
  'shared-objects.cjs': (plain, recorded) =>
    plain === '\n' && /^(?:perf_ts_code_events\.node|code-events\.so)\n$/.test(recorded),
  'version-tag.cjs': (plain, recorded) => [plain, recorded].every((text) => /^\d+\n$/.test(text)),
  // As with any preload: Node asks for the directory, and takes that there was no answer for one. Node 16 needs none then.
  'removed-directory-worker.cjs': (plain, recorded) =>
    /^ENOENT.*uv_cwd\n1\n$/.test(plain) && ['Invalid URL\n1\n', 'worker\n0\n'].includes(recorded),
  // As decision 0045 names it of Node 8 and 10, which make it for a program with a preload.
  'globals.cjs': (plain, recorded) => plain === recorded.replace(/\b_preload_modules,/, ''),
  // V8's memory reducer waits for its time once a small heap has grown, as it does while V8 lists its code: unreferenced,
  // and no libuv handle of ours.
  'report.cjs': (plain, recorded) => plain === recorded.replace(',timer,timer', ',timer'),
  'threads.cjs': (plain, recorded) => Number(recorded) === Number(plain) + 1,
  'shell-environment.cjs': (plain, recorded) =>
    without(recorded, /^(?:NODE_OPTIONS|PERF_TS_SESSION)=/) === without(plain, /^NODE_OPTIONS=/),
  'visible-sources.cjs': (plain, recorded) =>
    without(recorded, /^(?:Worker|execve) \d+$/) === without(plain, /^(?:Worker|execve) \d+$/),
};

/** Node prints each file that it loads, ours too; what it prints of workers comes from two threads, in any order. */
function withoutLoads(text: string): string {
  const isOfWorker = (line: string): boolean => /^\s*WORKER PID: /.test(line);
  const lines = without(text, /^\s*MODULE PID: /).split('\n');
  return [...lines.filter((line) => !isOfWorker(line)), ...lines.filter(isOfWorker).sort()].join(
    '\n',
  );
}

/** Whether two runs of a program differ in what is known alone. */
export function isKnown({ program, flags }: Cell, plain: Seen, recorded: Seen): boolean {
  if (plain.status !== recorded.status || plain.files !== recorded.files) return false;
  const printsLoads = flags.name.includes('NODE_DEBUG=module');
  const textOf = (text: string): string => (printsLoads ? withoutLoads(text) : text);
  const [own, other] = [textOf(plain.stdout), textOf(recorded.stdout)];
  if (textOf(plain.stderr) !== textOf(recorded.stderr)) return false;
  return own === other || KNOWN[program.name]?.(own, other) === true;
}
