// Commands that the rig runs: their output in bytes, their end, and an end that is made when they have none.

import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { cpuSecondsOf, membersOf, stateOf } from '../helpers/tasks.ts';

/** What is seen of a command from outside. */
export type Outcome = {
  readonly status: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly seconds: number;
  /** Whether the rig had to end it. */
  readonly isHung: boolean;
  /** The threads that it had then, and what each waited for; of two runs without an end they may differ. */
  readonly waits: string;
};

export type RunOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  /**
   * After so long the command and all of its process group are killed: of time in which none of them runs or waits for a
   * CPU, which takes as long as the machine is busy, or of their CPU time.
   */
  readonly limitSeconds?: number;
  /** Called with the process id once it runs. */
  readonly onStart?: (pid: number) => void;
  /** Called with what comes on its standard error. */
  readonly onStderr?: (text: string) => void;
};

/** Groups that run now, ended with the rig. */
const groups = new Set<number>();

export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // All of it has ended.
  }
}

process.on('exit', () => {
  for (const pid of groups) killGroup(pid);
});

/** The threads of a process that does not end, and what each waits for in the kernel. */
function threadsOf(pid: number): string {
  const read = (tid: string, file: string): string =>
    readFileSync(`/proc/${pid}/task/${tid}/${file}`, 'latin1').trim();
  try {
    const tids = readdirSync(`/proc/${pid}/task`);
    return tids.map((tid) => `${read(tid, 'comm')} in ${read(tid, 'wchan')}`).join(', ');
  } catch (error) {
    return (error as Error).message;
  }
}

/** Runs a command to its end, in a process group of its own. */
export function run(words: readonly string[], options: RunOptions): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const { cwd, env } = options;
    const child = spawn(words[0], words.slice(1), { cwd, env, detached: true, stdio: 'pipe' });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let isHung = false;
    let waits = '';
    const pid = child.pid ?? 0;
    const limit = options.limitSeconds ?? 30;
    let idleSeconds = 0;
    const watch = setInterval(() => {
      const members = membersOf(pid);
      if (!members.some((member) => stateOf(member) === 'R')) idleSeconds++;
      const cpuSeconds = members.reduce((sum, member) => sum + cpuSecondsOf(member), 0);
      if (idleSeconds < limit && cpuSeconds < limit) return;
      clearInterval(watch);
      isHung = true;
      waits = threadsOf(pid);
      killGroup(pid);
    }, 1000);
    child.once('error', reject);
    child.stdout.on('data', (bytes: Buffer) => out.push(bytes));
    child.stderr.on('data', (bytes: Buffer) => {
      err.push(bytes);
      options.onStderr?.(bytes.toString('latin1'));
    });
    child.once('close', (status, signal) => {
      clearInterval(watch);
      // What it left in its group would run on beside the next cell.
      killGroup(pid);
      groups.delete(pid);
      const seconds = (performance.now() - started) / 1000;
      const text = (parts: Buffer[]): string => Buffer.concat(parts).toString('latin1');
      resolve({ status, signal, stdout: text(out), stderr: text(err), seconds, isHung, waits });
    });
    if (pid === 0) return;
    groups.add(pid);
    options.onStart?.(pid);
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
  });
}
