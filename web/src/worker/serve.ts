import { createAnswers } from './answer.ts';
import type { CancelMessage, ReplyMessage, RequestMessage } from './messages.ts';

/** The part of a worker's global scope that is used; a `MessagePort` has it as well. */
export type Scope = {
  postMessage(message: ReplyMessage): void;
  addEventListener(
    type: 'message',
    listener: (event: MessageEvent<RequestMessage | CancelMessage>) => void,
  ): void;
};

/**
 * Answers requests one after the other. Between two of them the messages that came meanwhile are
 * taken in, so that a cancelled request is never begun.
 */
export function serve(scope: Scope): void {
  const answers = createAnswers();
  const waiting: RequestMessage[] = [];
  let isBusy = false;

  async function work(): Promise<void> {
    isBusy = true;
    for (let request = waiting.shift(); request !== undefined; request = waiting.shift()) {
      const answer = answers[request.kind] as (params: unknown) => unknown;
      try {
        scope.postMessage({ id: request.id, result: answer(request.params) });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        scope.postMessage({ id: request.id, problem });
      }
      await new Promise((resume) => setTimeout(resume, 0));
    }
    isBusy = false;
  }

  scope.addEventListener('message', ({ data }) => {
    if ('cancel' in data) {
      const at = waiting.findIndex(({ id }) => id === data.cancel);
      if (at >= 0) waiting.splice(at, 1);
      return;
    }
    waiting.push(data);
    if (!isBusy) void work();
  });
}
