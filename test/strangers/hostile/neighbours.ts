// Processes that a hostile case starts, other users as whom they run, and what is read of perf-ts meanwhile.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { compileC } from '../../helpers/compile.ts';
import { killGroup, run } from '../child.ts';
import { type Place, until } from '../ways.ts';

/** A user of no account, who has no processes. */
export const STRANGER = 64731;
const isRoot = process.geteuid?.() === 0;

export type Ended = {
  readonly status: number | null;
  readonly signal: string | null;
  readonly at: number;
};

/** A process in a group of its own, whose output is kept. */
export class Task {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  end: Ended | null = null;
  stdout = '';
  stderr = '';
  constructor(words: readonly string[], cwd: string, env: Readonly<Record<string, string>> = {}) {
    const base = { PATH: process.env.PATH ?? '', HOME: cwd, PERF_TS_NO_CACHE: 'names' };
    const options = { cwd, env: { ...base, ...env }, detached: true } as const;
    const child = spawn(words[0], words.slice(1), { ...options, stdio: 'pipe' });
    this.child = child;
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    child.stdout.on('data', (bytes: Buffer) => {
      this.stdout += bytes.toString('latin1');
    });
    child.stderr.on('data', (bytes: Buffer) => {
      this.stderr += bytes.toString('latin1');
    });
    this.ended = new Promise((resolve) => {
      child.once('exit', (status, signal) => {
        this.end = { status, signal, at: performance.now() };
        resolve(this.end);
      });
    });
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Waits for a line that begins with this; whether it came. */
  printed(text: string, seconds = 20): Promise<boolean> {
    return until(() => this.stdout.includes(text) || this.end !== null, seconds).then(() =>
      this.stdout.includes(text),
    );
  }

  /** Whether it ended by itself in so many seconds. */
  async endsWithin(seconds: number): Promise<boolean> {
    return until(() => this.end !== null, seconds, this.pid);
  }

  async stop(): Promise<void> {
    if (this.end === null && this.pid > 0) this.child.kill('SIGTERM');
    await until(() => this.end !== null, 0.3);
    if (this.pid > 0) killGroup(this.pid);
    await until(() => this.end !== null, 5);
  }
}

/** Runs `act` with a list of tasks, all of which have ended afterwards. */
export async function withTasks<T>(act: (start: Starter) => Promise<T>): Promise<T> {
  const tasks: Task[] = [];
  try {
    return await act((...args) => {
      const task = new Task(...args);
      tasks.push(task);
      return task;
    });
  } finally {
    for (const task of tasks.reverse()) await task.stop();
  }
}
export type Starter = (...args: ConstructorParameters<typeof Task>) => Task;

/** Words that run as another user, where this one is root. */
export function asStranger(words: readonly string[]): string[] {
  const ids = [`--reuid=${STRANGER}`, `--regid=${STRANGER}`, '--clear-groups'];
  return isRoot ? ['setpriv', ...ids, ...words] : [...words];
}

/** Why nothing can be started as another user. */
export function noStranger(): string | null {
  if (!isRoot) return 'not root: there is no other user';
  const words = asStranger([process.execPath, '-e', '0']);
  const isStarted = spawnSync(words[0], words.slice(1), { stdio: 'ignore' }).status === 0;
  return isStarted ? null : 'another user cannot run this Node';
}

export const never = (): null => null;

export function perfTs(place: Place, ...words: readonly string[]): string[] {
  return [process.execPath, join(place.root, 'dist/bin/main.js'), ...words];
}

const scripts = join('test/strangers/hostile/scripts');
export function script(place: Place, name: string): string {
  return join(dirname(place.programs), '../..', scripts, name);
}

export function compileScript(place: Place, name: string): string {
  return compileC(script(place, name), ['-O1', '-w']);
}

/** An addon in C that needs Node's own headers only. */
export function compileAddon(place: Place, name: string): string {
  const headers = createRequire(join(place.root, 'package.json'))('node-api-headers') as {
    readonly include_dir: string;
  };
  return compileC(
    script(place, name),
    ['-shared', '-fPIC', '-O1', '-w', `-I${headers.include_dir}`],
    '.node',
  );
}

export function noCompiler(): string | null {
  return spawnSync(process.env.CC ?? 'cc', ['--version'], { stdio: 'ignore' }).status === 0
    ? null
    : 'there is no C compiler';
}

/** What a recording has, or why it cannot be read: the number of samples, and whether it is whole. */
export async function readRecording(
  place: Place,
  file: string,
): Promise<{ samples: number; problem: string | null }> {
  if (!existsSync(file)) return { samples: 0, problem: 'there is no recording' };
  const env = { PATH: process.env.PATH ?? '', HOME: place.scratch };
  const { status, stdout, stderr, isHung } = await run(perfTs(place, 'info', '--json', file), {
    cwd: place.scratch,
    env,
  });
  if (status !== 0)
    return { samples: 0, problem: isHung ? 'info has no end' : `info: ${stderr.trim()}` };
  const { records, truncatedAt } = JSON.parse(stdout) as {
    records: Record<string, number>;
    truncatedAt: number | null;
  };
  const samples = records.SAMPLE ?? 0;
  if (truncatedAt !== null)
    return { samples, problem: `the recording is cut off at byte ${truncatedAt}` };
  return { samples, problem: samples === 0 ? 'the recording has no samples' : null };
}

/** Resident memory of a process, in MiB. */
export function residentMib(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
