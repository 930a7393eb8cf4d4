import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Case } from './cases.ts';
import type { Answer, Order, Result } from './host.ts';

/** Ends a command that does not end, long after it is too late. */
const END_MS = 300_000;

export type Limits = { readonly ms: number; readonly bytes: number };

/** A case with what each command made of it. */
export type Tried = {
  readonly seed: number;
  readonly made: Case;
  readonly results: readonly (Result & { readonly command: string })[];
};

/**
 * Runs cases in a process that stays, because starting one takes as long as most cases. What that one
 * did not do within the limits is done again by a process of its own, which counts: memory that earlier
 * cases left behind, and the other programs of a machine, are not the file's affair.
 */
export class Worker {
  readonly #hostPath: string;
  readonly #folder: string;
  readonly #limits: Limits;
  #host: ChildProcess | null = null;

  constructor(hostPath: string, folder: string, limits: Limits) {
    this.#hostPath = hostPath;
    this.#folder = folder;
    this.#limits = limits;
  }

  async try(seed: number, size: number | null): Promise<Tried> {
    const folder = join(this.#folder, 'case');
    const answer = await this.#ask({ kind: 'make', seed, folder, size });
    if (answer.kind !== 'made')
      throw new Error(`case ${seed} was not made: ${JSON.stringify(answer)}`);
    const file = join(folder, 'perf.data');
    const { format } = answer.made;
    const results = [];
    for (const [command, ...words] of [
      ['info'],
      ['report'],
      ['export', '--format', format, '-o', join(this.#folder, 'out')],
    ] as const) {
      const all = [command as string, ...words, file];
      results.push({ command: all.slice(0, 3).join(' '), ...(await this.#run(all)) });
    }
    return { seed, made: answer.made, results };
  }

  async #run(words: readonly string[]): Promise<Result> {
    const first = await this.#runOnce(words);
    if (first.outcome !== 'failed' && isWithin(first, this.#limits)) return first;
    await this.close();
    return this.#runOnce(words);
  }

  async #runOnce(words: readonly string[]): Promise<Result> {
    const answer = await this.#ask({ kind: 'run', words });
    if (answer.kind === 'ran') return answer.result;
    throw new Error(`an answer to something else: ${JSON.stringify(answer)}`);
  }

  async close(): Promise<void> {
    const host = this.#host;
    this.#host = null;
    if (host === null || host.exitCode !== null || host.signalCode !== null) return;
    const ended = new Promise((resolve) => host.once('exit', resolve));
    host.kill('SIGKILL');
    await ended;
  }

  async #ask(order: Order): Promise<Answer> {
    this.#host ??= await this.#start();
    const host = this.#host;
    const start = performance.now();
    return new Promise((resolve) => {
      const end = (answer: Answer) => {
        clearTimeout(timer);
        host.removeAllListeners();
        resolve(answer);
      };
      const failed = (message: string) => {
        this.#host = null;
        const ms = performance.now() - start;
        end({ kind: 'ran', result: { outcome: 'failed', message, ms, peakBytes: 0 } });
      };
      const timer = setTimeout(() => {
        host.kill('SIGKILL');
        failed(`no end after ${END_MS / 1000} s`);
      }, END_MS);
      host.once('message', end);
      host.once('exit', (code, signal) => failed(`the process ended by itself: ${signal ?? code}`));
      host.send(order);
    });
  }

  #start(): Promise<ChildProcess> {
    const host = fork(this.#hostPath, {
      execArgv: ['--expose-gc'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      cwd: this.#folder,
    });
    return new Promise((resolve) => host.once('message', () => resolve(host)));
  }
}

export function isWithin({ ms, peakBytes }: Result, limits: Limits): boolean {
  return ms <= limits.ms && peakBytes <= limits.bytes;
}
