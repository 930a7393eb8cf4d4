import { type Stats, statSync } from 'node:fs';
import { FailedError } from '../base/errors.ts';
import { type AnswerTo, AskedFile, type FileMethod } from './asked-file.ts';
import type { ServedFile } from './served-file.ts';

/**
 * How often the page is told of more. Reading all of it again takes longer as it grows; at most half
 * of the time goes to it.
 */
const UPDATE_MS = 1000;

/** A reader of the recording: a `ThreadedFile`, so that the recorder itself is not held up. */
export type Rereader = ServedFile & {
  /** Reads what is at `path` now; `isLast`: it is complete; `appendix`: what it would end with else. */
  reread(path: string, isLast: boolean, appendix: Uint8Array): Promise<void>;
  close(): Promise<void>;
};

export type GrowingFileOptions = {
  /** Starts reading the recording at this path, with the appendix that it would end with. */
  readonly open: (path: string, appendix: Uint8Array) => Rereader;
  /** Whether anybody looks. Nothing is read while nobody does. */
  readonly isWatched: () => boolean;
  /** There is more to be seen. */
  readonly onGrowth: () => void;
  /** It could not be read once more; what was read is still shown. */
  readonly onProblem: (error: Error) => void;
};

/**
 * A recording that is being written, read again as it grows. What is read is the file as it is: every
 * chunk in it is whole, and what a recording has only at its end (build IDs, final counts) is not
 * needed to name its frames, but for the code that programs announce, which comes beside it. So a live page shows exactly what the finished one will.
 *
 * It is served before it begins; questions wait until then.
 */
export class GrowingFile extends AskedFile {
  readonly #path: string;
  readonly #options: GrowingFileOptions;
  readonly #begun: Promise<Rereader>;
  #begin: (reader: Rereader) => void = () => {};
  #reader: Rereader | null = null;
  /** State of the file when it was read. */
  #file: Stats | null = null;
  #timer: NodeJS.Timeout | null = null;
  #reading: Promise<void> = Promise.resolve();
  #hasEnded = false;
  #appendixSoFar: () => Uint8Array = () => new Uint8Array();

  constructor(path: string, options: GrowingFileOptions) {
    super(path);
    this.#path = path;
    this.#options = options;
    this.#begun = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  protected async ask<Method extends FileMethod>(
    method: Method,
    ...args: Parameters<ServedFile[Method]>
  ): AnswerTo<Method> {
    const reader = await this.#begun;
    return Reflect.apply(reader[method], reader, args);
  }

  /**
   * The file is there: reads it, and again each second, or as often as it can. `appendixSoFar`: what it would end with then;
   * empty where readers find all names in other places.
   */
  follow(appendixSoFar = (): Uint8Array => new Uint8Array()): void {
    this.#appendixSoFar = appendixSoFar;
    this.#file = statSync(this.#path);
    this.#reader = this.#options.open(this.#path, appendixSoFar());
    this.#begin(this.#reader);
    this.#plan(UPDATE_MS);
  }

  /** Reads the complete file, as the recording has ended; at its end one of unwound stacks may have taken its place. */
  async finish(path: string | null = null): Promise<void> {
    this.#stopFollowing();
    await this.#reading;
    if (path !== null) this.#file = statSync(path, { throwIfNoEntry: false }) ?? null;
    await this.#read(true);
  }

  async close(): Promise<void> {
    this.#stopFollowing();
    await this.#reader?.close();
  }

  #stopFollowing(): void {
    this.#hasEnded = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => {
      this.#reading = this.#update();
    }, delayMs);
  }

  async #update(): Promise<void> {
    const startMs = performance.now();
    if (this.#options.isWatched()) await this.#read(false);
    if (this.#hasEnded) return;
    const tookMs = performance.now() - startMs;
    this.#plan(Math.max(UPDATE_MS - tookMs, tookMs));
  }

  async #read(isLast: boolean): Promise<void> {
    try {
      const found = this.#find(isLast);
      if (found === null || (found.file.size === this.#file?.size && !isLast)) return;
      const { path, file } = found;
      const appendix = isLast ? new Uint8Array() : this.#appendixSoFar();
      await this.#reader?.reread(path, isLast, appendix);
      this.#file = file;
      this.#options.onGrowth();
    } catch (error) {
      if (!this.#hasEnded || isLast) this.#options.onProblem(error as Error);
    }
  }

  /**
   * Another recording of the same name moves this one to `.old`, as perf does; what then has its
   * name is not this one. null: another has its name and it is not there, as before `finish` where one of unwound stacks
   * takes its place. Throws `FailedError` where it is gone.
   */
  #find(isLast: boolean): { readonly path: string; readonly file: Stats } | null {
    for (const path of [this.#path, `${this.#path}.old`]) {
      const file = statSync(path, { throwIfNoEntry: false });
      if (file?.ino === this.#file?.ino && file?.dev === this.#file?.dev && file !== undefined) {
        return { path, file };
      }
    }
    if (!isLast && statSync(this.#path, { throwIfNoEntry: false }) !== undefined) return null;
    throw new FailedError(`${this.#path}: no longer exists; the page shows what was read before`);
  }
}
