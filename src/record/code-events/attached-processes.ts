import { Deferred } from '../../base/deferred.ts';
import { type AttachOptions, attachProcesses } from './attach-js.ts';

/** How long the first sample waits for the processes, … */
const MOST_AT_START_MS = 2000;
/** … and the end of the recording for one that was asked shortly before. */
const MOST_AT_END_MS = 700;

/**
 * The running processes of a recording, while they are made to report their code. The end of the recording does not
 * depend on them: who has not answered by then is left to the program that asks, and has no names.
 */
export class AttachedProcesses {
  readonly #options: Omit<AttachOptions, 'signal'>;
  readonly #attached: Promise<void>;
  readonly #ending = new AbortController();
  #waitedFor: number | null = null;

  constructor(options: Omit<AttachOptions, 'signal'>) {
    this.#options = options;
    this.#attached = attachProcesses({
      ...options,
      signal: this.#ending.signal,
      onWait: (pid) => {
        this.#waitedFor = pid;
        options.onWait(pid);
      },
    });
  }

  /**
   * Resolves when all have answered, or not in time, or the wait is given up. Behind that the recording samples: code that
   * a program throws away before it has listed its code would stay without a name, and the listing is our work.
   */
  begin(giveUp: AbortSignal | undefined): Promise<void> {
    return this.#within(MOST_AT_START_MS, giveUp);
  }

  async #within(ms: number, giveUp?: AbortSignal): Promise<void> {
    const late = new Deferred<void>();
    const settle = () => late.settle();
    const timer = setTimeout(settle, ms);
    giveUp?.addEventListener('abort', settle);
    if (giveUp?.aborted) settle();
    await Promise.race([this.#attached, late.promise]);
    giveUp?.removeEventListener('abort', settle);
    clearTimeout(timer);
  }

  /** Resolves when all have been asked. */
  get asked(): Promise<void> {
    return this.#attached;
  }

  /** Nobody is asked any more. */
  close(): void {
    this.#ending.abort();
  }

  /** The recording has ended. Resolves when all have answered, or nobody is asked any more. */
  async end(): Promise<void> {
    await this.#within(MOST_AT_END_MS);
    this.close();
    if (this.#waitedFor === null) return;
    const { byInspector, notify } = this.#options;
    notify(
      `functions of JavaScript in process ${this.#waitedFor} may have no names: it had not answered when the ` +
        'recording ended' +
        (byInspector
          ? '; if its inspector was opened, it is closed when its main thread comes to JavaScript again'
          : ''),
    );
  }
}
