// Other users who take what perf-ts has left: names of sockets, folders and files in /tmp.

import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Place } from '../ways.ts';
import { until } from '../ways.ts';
import type { HostileCase } from './cases.ts';
import {
  asStranger,
  compileScript,
  noCompiler,
  noStranger,
  perfTs,
  STRANGER,
  script,
  type Task,
  withTasks,
} from './neighbours.ts';

const PRECIOUS = 'precious content\n';
/** A worker and a child of a quiet machine take less than one; the attack made them wait for ever. */
const PATIENCE_SECONDS = 10;
/** Process ids for which links are planted, from the newest on. */
const PLANTED = 400;

export const SQUATTERS: readonly HostileCase[] = [
  {
    name: 'a squatter of the recorder’s socket, with a full queue',
    obstacle: () => noStranger() ?? noCompiler(),
    run: (place) => squat(place, 'full'),
  },
  {
    name: 'a squatter of the recorder’s socket, who accepts and hangs up, with links planted for maps',
    obstacle: () => noStranger() ?? noCompiler(),
    run: (place) => squat(place, 'accept'),
  },
  {
    name: 'the folder of register’s sockets is another user’s, with links planted for maps',
    obstacle: noStranger,
    run: planted,
  },
];

/** Names of the abstract sockets of this machine, without the first byte. */
function abstractNames(): Set<string> {
  const listed = readFileSync('/proc/net/unix', 'latin1');
  return new Set(Array.from(listed.matchAll(/ @(\S+)$/gm), ([, name]) => name.replace(/@+$/, '')));
}

const isTaken = (name: string): boolean => abstractNames().has(name);

/** Abstract sockets that a process's environment names. */
function namesIn(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/environ`, 'latin1');
  return [...abstractNames()].filter((name) => text.includes(name));
}

/** Process ids of the children of a task, and theirs. */
function descendants(pid: number): number[] {
  const text = (() => {
    try {
      return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    } catch {
      return '';
    }
  })();
  return text
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .flatMap((child) => [child, ...descendants(child)]);
}

/** A file of ours in a closed folder, and links to it where V8 would write the maps of processes that start next. */
class Victim {
  readonly path: string;
  readonly #folder: string;
  readonly #links: string[] = [];
  constructor(place: Place) {
    this.#folder = mkdtempSync(join(place.scratch, 'victim-'));
    chmodSync(this.#folder, 0o700);
    this.path = join(this.#folder, 'victim');
    writeFileSync(this.path, PRECIOUS, { mode: 0o600 });
  }
  plant(): void {
    const last = Number(readFileSync('/proc/loadavg', 'utf8').trim().split(' ').pop());
    for (let pid = last; pid < last + PLANTED; pid++) {
      const link = `/tmp/perf-${pid}.map`;
      try {
        symlinkSync(this.path, link);
        this.#links.push(link);
      } catch {
        // Somebody has a file there.
      }
    }
  }
  problems(): string[] {
    return readFileSync(this.path, 'utf8') === PRECIOUS
      ? []
      : ['a file of ours was overwritten through a link'];
  }
  remove(): void {
    for (const link of this.#links) rmSync(link, { force: true });
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** A recording ends, another user takes its name, and the program goes on to start workers and children. */
async function squat(place: Place, how: 'full' | 'accept'): Promise<string[]> {
  const victim = new Victim(place);
  const problems: string[] = [];
  try {
    await withTasks(async (start) => {
      const words = [
        'record',
        '-q',
        '-F',
        '99',
        '--duration',
        '1',
        '-o',
        join(place.scratch, 'squat.data'),
      ];
      const command = [process.execPath, script(place, 'serves.mjs')];
      const recorder = start(perfTs(place, ...words, '--', ...command), place.scratch);
      if (!(await recorder.printed('ready')))
        problems.push(`the program did not start: ${recorder.stderr}`);
      const program = descendants(recorder.pid)[0] ?? recorder.pid;
      const names = namesIn(program);
      if (names.length === 0) problems.push('there was no name to take');
      // The recording ends, and perf-ts waits for its command.
      const areLeft = (): boolean => !names.some((name) => isTaken(name));
      if (!(await until(areLeft, PATIENCE_SECONDS))) problems.push('the recording has no end');
      if (names.length > 0) {
        const words = asStranger([compileScript(place, 'squatter.c'), how, ...names]);
        const squatter = start(words, '/');
        await squatter.printed('took');
      }
      victim.plant();
      problems.push(...(await askFor(recorder, 3)));
      recorder.child.stdin?.write('end\n');
    });
    problems.push(...victim.problems());
  } finally {
    victim.remove();
  }
  return problems;
}

/** Lets the program start workers and children so many times, and looks at how it takes it. */
async function askFor(program: Task, times: number): Promise<string[]> {
  for (let i = 1; i <= times; i++) {
    program.child.stdin?.write('go\n');
    const count = (): number => program.stdout.split('\nworker 0').length - 1;
    const children = (): string[] =>
      program.stdout.split('\n').filter((line) => line.startsWith('child '));
    if (!(await until(() => count() >= i, PATIENCE_SECONDS))) {
      return [
        `a worker of the program did not start; printed: ${program.stdout.trim().split('\n').pop()}`,
      ];
    }
    if (!(await until(() => children().length >= i, PATIENCE_SECONDS)))
      return ['a child of the program did not start'];
    const strange = children().find((line) => line.trim() !== 'child 0');
    if (strange !== undefined) return [`a child printed: ${strange}`];
  }
  return program.stderr === '' ? [] : [`the program printed: ${program.stderr.split('\n')[0]}`];
}

/** Another user has made the folder of our sockets before us. */
async function planted(place: Place): Promise<string[]> {
  // A user of our own beside the stranger: root owns what it finds.
  const owner = STRANGER + 1;
  const folder = `/tmp/perf-ts-${owner}`;
  const victim = new Victim(place);
  const home = mkdtempSync(join(place.scratch, 'owner-'));
  chownSync(home, owner, owner);
  mkdirSync(folder, { mode: 0o777 });
  chownSync(folder, STRANGER, STRANGER);
  try {
    chmodSync(join(victim.path, '..'), 0o711);
    chownSync(victim.path, owner, owner);
    victim.plant();
    return await withTasks(async (start) => {
      const preload = join(place.root, 'dist/register/preload.cjs');
      const ids = [`--reuid=${owner}`, `--regid=${owner}`, '--clear-groups'];
      const words = [
        'setpriv',
        ...ids,
        process.execPath,
        `--require=${preload}`,
        script(place, 'serves.mjs'),
      ];
      const program = start(words, home);
      if (!(await program.printed('ready')))
        return [`the program did not start: ${program.stderr}`];
      const problems = await askFor(program, 2);
      program.child.stdin?.write('end\n');
      await program.endsWithin(PATIENCE_SECONDS);
      return [...problems, ...victim.problems()];
    });
  } finally {
    victim.remove();
    rmSync(folder, { recursive: true, force: true });
    rmSync(home, { recursive: true, force: true });
  }
}
