import type { ReplyMessage, RequestKind, Requests } from './worker/messages.ts';

type Waiting = {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
};

/** Asks the worker. Rejects with a sentence where it could not answer. */
export type AskWorker = <Kind extends RequestKind>(
  kind: Kind,
  params: Requests[Kind]['params'],
  /** Aborted: the answer is of no use any more. Never answered, if it was not begun. */
  signal?: AbortSignal,
) => Promise<Requests[Kind]['result']>;

/** Turns the worker's messages into promises. Typed arrays are copied, so callers may keep theirs. */
export function createClient(worker: Worker): AskWorker {
  const waiting = new Map<number, Waiting>();
  let lastId = 0;

  worker.addEventListener('message', ({ data }: MessageEvent<ReplyMessage>) => {
    const request = waiting.get(data.id);
    waiting.delete(data.id);
    if ('problem' in data) request?.reject(new Error(data.problem));
    else request?.resolve(data.result as never);
  });
  worker.addEventListener('error', (event) => {
    const error = new Error(`the page's worker failed: ${event.message || 'it could not start'}`);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  });

  return (kind, params, signal) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener('abort', () => {
        if (waiting.delete(id)) worker.postMessage({ cancel: id });
      });
      worker.postMessage({ id, kind, params });
    });
}
