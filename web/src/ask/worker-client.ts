import type { OpenParams } from '../worker/messages/messages.ts';
import type {
  AskWorker,
  ReplyMessage,
  RequestKind,
  Requests,
} from '../worker/messages/requests.ts';

type Waiting = {
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
};

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

  let opened = 0;
  const ask = <Kind extends RequestKind>(
    kind: Kind,
    params: Requests[Kind]['params'],
    signal?: AbortSignal,
  ) =>
    new Promise<Requests[Kind]['result']>((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, {
        reject,
        resolve: (result: Requests[Kind]['result']) => {
          if (kind === 'open' && (params as OpenParams).slot === 0) opened++;
          resolve(result);
        },
      });
      signal?.addEventListener('abort', () => {
        if (waiting.delete(id)) worker.postMessage({ cancel: id });
      });
      worker.postMessage({ id, kind, params });
    });
  return Object.assign(ask, { opened: () => opened });
}
