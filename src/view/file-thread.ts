import type { MessagePort } from 'node:worker_threads';
import { packError, type SentError } from '../base/sent-error.ts';
import type { HeaviestSoFar } from '../formats/export/page-profile.ts';
import type { ReadingProgress } from '../options/reading.ts';
import type { FileMethod } from './asked-file.ts';
import type { ServedFile } from './served-file.ts';

/** Reads a recording that has grown; `appendix`: what its file would end with now. */
export type Reread = (path: string, isLast: boolean, appendix: Uint8Array) => Promise<void>;

/** A question of `ThreadedFile`; that of `reread` is for a recording that grows, and its answer is empty. */
export type FileRequest = {
  readonly id: number;
  readonly method: FileMethod | 'reread';
  readonly args: readonly unknown[];
};

export type FileReply =
  | { readonly id: number; readonly kind: 'answer'; readonly value: unknown }
  | { readonly id: number; readonly kind: 'failed'; readonly error: SentError };

/** How far the reading has come: nobody has asked. */
export type FileProgress = ReadingProgress & {
  readonly kind: 'progress';
  /** Null: as reported before. */
  readonly soFar: HeaviestSoFar | null;
};

/**
 * Answers, in the thread of a recording, what `ThreadedFile` asks. Questions wait until the
 * recording is read; where that fails, so do they. `reread` is for one that grows.
 */
export function answerFrom(
  port: MessagePort,
  file: Promise<ServedFile>,
  reread: Reread = () => Promise.reject(new Error('this recording does not grow')),
): void {
  // Reported as the answer to the first question.
  file.catch(() => {});
  port.on('message', ({ id, method, args }: FileRequest) => {
    const reply = (message: FileReply) => port.postMessage(message);
    file
      .then((read) =>
        method === 'reread'
          ? reread(...(args as Parameters<Reread>))
          : Reflect.apply(read[method], read, args),
      )
      .then(
        (value) => reply({ id, kind: 'answer', value }),
        (error) => reply({ id, kind: 'failed', error: packError(error) }),
      );
  });
}
