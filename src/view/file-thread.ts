import type { MessagePort } from 'node:worker_threads';
import { packError } from '../base/sent-error.ts';
import type { FileQuestion, FileReply, FileRequest } from './file-messages.ts';
import type { ServedFile } from './served-file.ts';

/** Reads a recording that has grown. */
export type Reread = (path: string, isLast: boolean) => Promise<void>;

/**
 * Answers, in the thread of a recording, what `ThreadedFile` asks. Questions wait until the
 * recording is read; where that fails, so do they. `reread` is for one that grows.
 */
export function answerFrom(
  port: MessagePort,
  file: Promise<ServedFile>,
  reread: Reread = () => Promise.reject(new Error('this recording does not grow')),
): void {
  // Told as the answer to the first question.
  file.catch(() => {});
  port.on('message', ({ id, question }: FileRequest) => {
    const reply = (message: FileReply) => port.postMessage(message);
    file
      .then((read) => find(read, question, reread))
      .then(
        (value) => reply({ id, kind: 'answer', value }),
        (error) => reply({ id, kind: 'failed', error: packError(error) }),
      );
  });
}

function find(
  file: ServedFile,
  question: FileQuestion,
  reread: Reread,
): Uint8Array | string | Promise<Uint8Array | string> {
  switch (question.kind) {
    case 'pageData':
      return file.pageData();
    case 'pageReport':
      return file.pageReport();
    case 'download':
      return file.download(question.format, question.part);
    case 'hotSources':
      return file.hotSources();
    case 'source':
      return file.source(question.string);
    case 'assembly':
      return file.assembly(question.func);
    case 'reread':
      return reread(question.path, question.isLast).then(() => '');
  }
}
