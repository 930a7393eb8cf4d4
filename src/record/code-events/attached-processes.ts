import { type AttachOptions, attachProcesses } from './attach-js.ts';

/** How long a process that was asked shortly before the end is waited for. */
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

  /** The recording has ended. Resolves when all have answered, or nobody is asked any more. */
  async end(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MOST_AT_END_MS);
    });
    await Promise.race([this.#attached, late]);
    clearTimeout(timer);
    this.#ending.abort();
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
