import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { Deferred } from '../../base/deferred.ts';
import { AbortError, UsageError } from '../../base/errors.ts';
import { unpackError } from '../../base/sent-error.ts';
import { checkOptions } from '../../options/check.ts';
import { OptionError } from '../../options/option-error.ts';
import { SELF, type SelfProfileOptions } from '../../options/self.ts';
import { makeOwnFolder } from '../../system/files/own-folder.ts';
import type { SelfReply, SelfRequest, SelfThreadData } from './self-messages.ts';
import type { RunningSelfProfile } from './self-options.ts';

/**
 * Profiles the own process, all its threads, and resolves with the bytes of the format. The event loop
 * goes on: a thread of its own records, reads and writes the profile. No file is left.
 *
 * Throws `UsageError` where neither `seconds` nor `signal` ends it, else as `record` does.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { profileSelf, type SelfProfileOptions } from 'perf-ts';
 *
 * const options: SelfProfileOptions = { seconds: 1, format: 'pprof' };
 * writeFileSync('self.pb.gz', await profileSelf(options));
 * ```
 */
export async function profileSelf(options: SelfProfileOptions): Promise<Uint8Array> {
  checkOptions(SELF, options, 'profileSelf');
  if (options.seconds === undefined && options.signal === undefined) {
    throw new UsageError('profileSelf: nothing ends it', [
      'give it seconds or a signal, or stop what startSelfProfile returns',
    ]);
  }
  const running = await startSelfProfile(options);
  // Its end of either kind ends the thread, which nobody has to wait for.
  return running.finished;
}

/**
 * Begins what `profileSelf` does, and resolves while it samples.
 *
 * @example
 * ```ts
 * import { writeFileSync } from 'node:fs';
 * import { startSelfProfile } from 'perf-ts';
 *
 * const running = await startSelfProfile({ format: 'speedscope' });
 * for (let i = 0; i < 100; i++) JSON.stringify(new Array(1e5).fill(i));
 * writeFileSync('self.speedscope.json', await running.stop());
 * ```
 */
export async function startSelfProfile(options: SelfProfileOptions): Promise<RunningSelfProfile> {
  checkOptions(SELF, options, 'profileSelf');
  if (options.format === undefined) throw new OptionError(SELF.format, 'has to be given');
  if (options.signal?.aborted) throw new AbortError(options.signal);
  const folder = makeOwnFolder('self');
  const profile = new SelfProfile(options, folder);
  try {
    await profile.sampling;
    return profile;
  } catch (error) {
    await profile[Symbol.asyncDispose]();
    throw error;
  }
}

/** The thread that profiles, seen from the thread that asked for it. */
class SelfProfile implements RunningSelfProfile {
  readonly #thread: Worker;
  readonly #folder: string;
  readonly #options: SelfProfileOptions;
  readonly #sampling = new Deferred<void>();
  readonly #finished = new Deferred<Uint8Array>();
  #isSampling = false;
  #end: Promise<void> | null = null;

  constructor(options: SelfProfileOptions, folder: string) {
    const { signal, onNotice: _, ...sent } = options;
    this.#options = options;
    this.#folder = folder;
    const data: SelfThreadData = { folder, options: sent };
    this.#thread = new Worker(new URL('../../bin/self-thread.js', import.meta.url), {
      name: 'perf-ts',
      workerData: data,
      // The program's preloads are not for this thread, and under sudo no file is given to a user.
      execArgv: [],
      env: withoutVariables(['NODE_OPTIONS', 'SUDO_UID', 'SUDO_GID', 'SUDO_USER']),
      // By default Node pipes a thread's output to ours, and makes pipes non-blocking by that.
      stdout: true,
      stderr: true,
    });
    this.#thread.on('message', (reply: SelfReply) => this.#onReply(reply));
    this.#thread.on('error', (error) => this.#fail(error));
    this.#thread.on('exit', () => this.#fail(new Error('the thread that profiles has ended')));
    signal?.addEventListener('abort', this.#onAbort, { once: true });
    // Whoever waits gets the failure; nobody has to.
    this.finished.catch(() => {});
    this.sampling.catch(() => {});
  }

  /** Settles when samples are taken, or nothing will be. */
  get sampling(): Promise<void> {
    return this.#sampling.promise;
  }

  get finished(): Promise<Uint8Array> {
    return this.#finished.promise;
  }

  stop(): Promise<Uint8Array> {
    const request: SelfRequest = { kind: 'stop' };
    this.#thread.postMessage(request);
    return this.finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail(new DOMException('the profile was discarded', 'AbortError'));
    await this.#end;
  }

  readonly #onAbort = (): void => {
    const { signal } = this.#options;
    if (this.#isSampling) void this.stop();
    else if (signal !== undefined) this.#fail(new AbortError(signal));
  };

  #onReply(reply: SelfReply): void {
    switch (reply.kind) {
      case 'notice':
        this.#options.onNotice?.(reply.text);
        break;
      case 'sampling':
        this.#isSampling = true;
        this.#sampling.settle();
        break;
      case 'sampled':
        this.#isSampling = false;
        break;
      case 'finished':
        this.#finished.settle(reply.bytes);
        this.#close();
        break;
      case 'failed':
        this.#fail(unpackError(reply.error));
        break;
    }
  }

  /** After the first end, nothing changes any more. */
  #fail(error: unknown): void {
    if (this.#end !== null) return;
    const failure = Promise.reject(error);
    // Either may be settled already, and then takes no notice.
    failure.catch(() => {});
    this.#finished.settle(failure);
    this.#sampling.settle(failure);
    this.#close();
  }

  #close(): void {
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    this.#end ??= this.#remove();
  }

  async #remove(): Promise<void> {
    await this.#thread.terminate();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function withoutVariables(names: readonly string[]): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !names.includes(name));
  return Object.fromEntries(kept);
}
