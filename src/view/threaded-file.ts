import { Worker } from 'node:worker_threads';
import { unpackError } from '../base/sent-error.ts';
import type { OnReadingProgress } from '../options/reading.ts';
import { type AnswerTo, AskedFile, type FileMethod } from './asked-file.ts';
import type { FileProgress, FileReply, FileRequest } from './file-thread.ts';
import type { FileReading, ServedFile } from './served-file.ts';

type Waiting = {
  resolve(value: unknown): void;
  reject(error: Error): void;
};

/**
 * A recording that a thread of its own reads, so that the server answers meanwhile: the browser
 * starts and loads the page while frames are still being named.
 */
export class ThreadedFile extends AskedFile {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #page: Promise<Uint8Array> | null;
  #lastId = 0;
  #progress: FileReading | null = null;

  /**
   * `thread` is the module that calls `answerFrom`, which gets `data` as its `workerData`; or a thread that has
   * begun with it, and waits for `data` as its first message. `forPage`: the page's data are asked for at once, and kept.
   * `onProgress` gets what the thread posts of it.
   */
  constructor(
    path: string,
    thread: URL | Worker,
    data: unknown,
    {
      forPage = true,
      onProgress,
    }: { readonly forPage?: boolean; readonly onProgress?: OnReadingProgress } = {},
  ) {
    super(path);
    // With streams of their own: by default Node pipes a thread's output to process.stdout and
    // process.stderr, and opening these makes the pipes that we share with others non-blocking.
    this.#thread =
      thread instanceof URL
        ? new Worker(thread, { workerData: data, stdout: true, stderr: true })
        : thread;
    this.#thread.on('message', (message: FileReply | FileProgress) => {
      if (message.kind === 'progress') {
        const { stage, share, soFar } = message;
        this.#progress = { stage, share, soFar: soFar ?? this.#progress?.soFar ?? null };
        onProgress?.(stage, share);
      } else this.#settle(message);
    });
    this.#thread.on('error', (error) => this.#fail(error));
    this.#thread.on('exit', () => this.#fail(new Error(`${path}: its thread has ended`)));
    if (!(thread instanceof URL)) this.#thread.postMessage(data);
    this.#page = forPage ? super.pageData() : null;
    // Whoever waits for the page is told.
    this.#page?.catch(() => {});
  }

  progress(): FileReading | null {
    return this.#progress;
  }

  override pageData(): Promise<Uint8Array> {
    return this.#page ?? super.pageData();
  }

  async reread(path: string, isLast: boolean, appendix: Uint8Array): Promise<void> {
    await this.#send('reread', [path, isLast, appendix]);
  }

  /** Ends the thread, also in the middle of reading. */
  async close(): Promise<void> {
    await this.#thread.terminate();
  }

  protected ask<Method extends FileMethod>(
    method: Method,
    ...args: Parameters<ServedFile[Method]>
  ): AnswerTo<Method> {
    return this.#send(method, args) as AnswerTo<Method>;
  }

  #send(method: FileRequest['method'], args: readonly unknown[]): Promise<unknown> {
    const request: FileRequest = { id: ++this.#lastId, method, args };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#thread.postMessage(request);
    });
  }

  #settle(reply: FileReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.kind === 'answer') waiting?.resolve(reply.value);
    else waiting?.reject(unpackError(reply.error));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
