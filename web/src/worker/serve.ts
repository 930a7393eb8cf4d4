import type { Slices } from '../../../src/base/slices.ts';
import { createInterruptibleAnswers, isSlices } from './answer.ts';
import type { CancelMessage, ReplyMessage, RequestKind, RequestMessage } from './messages.ts';

/** The part of a worker's global scope that is used; a `MessagePort` has it as well. */
export type Scope = {
  postMessage(message: ReplyMessage): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: RequestMessage | CancelMessage }) => void,
  ): void;
};

/** After so long an answer that is computed in slices makes way for whatever was asked meanwhile. */
const SLICE_MS = 12;

/** What fills in what is shown already: it comes after everything that a person waits for. */
const FILLS_IN: ReadonlySet<RequestKind> = new Set(['intervals', 'table', 'changes']);

/** A request that was begun, and what is left to do for it. */
type Begun = { readonly request: RequestMessage; readonly work: Slices<unknown> };

/**
 * Answers requests one after the other. Between two of them, and between the slices of one that takes
 * long, the messages that came meanwhile are taken in: a cancelled request is not begun, or not gone
 * on with, and one that is answered at once need not wait for one that is not.
 */
export function serve(scope: Scope): void {
  const answers = createInterruptibleAnswers();
  const waiting: RequestMessage[] = [];
  const begun: Begun[] = [];
  let isBusy = false;

  function begin(request: RequestMessage): void {
    const answer = answers[request.kind] as (params: unknown) => unknown;
    attempt(request, () => {
      const result = answer(request.params);
      if (isSlices(result)) begun.push({ request, work: result });
      else scope.postMessage({ id: request.id, result });
    });
  }

  function goOn(): void {
    const next = begun.find(({ request }) => !FILLS_IN.has(request.kind)) ?? (begun[0] as Begun);
    const { request, work } = next;
    const isDone = attempt(request, () => {
      const end = performance.now() + SLICE_MS;
      do {
        const step = work.next();
        if (step.done !== true) continue;
        scope.postMessage({ id: request.id, result: step.value });
        return true;
      } while (performance.now() < end);
      return false;
    });
    if (isDone !== false) begun.splice(begun.indexOf(next), 1);
  }

  /** Undefined where it failed; then the page was told. */
  function attempt<Result>(request: RequestMessage, act: () => Result): Result | undefined {
    try {
      return act();
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      scope.postMessage({ id: request.id, problem });
      return undefined;
    }
  }

  async function work(): Promise<void> {
    isBusy = true;
    while (waiting.length + begun.length > 0) {
      const request = waiting.shift();
      if (request !== undefined) begin(request);
      else goOn();
      await new Promise((resume) => setTimeout(resume, 0));
    }
    isBusy = false;
  }

  function cancel(id: number): void {
    const at = waiting.findIndex((request) => request.id === id);
    if (at >= 0) waiting.splice(at, 1);
    const begunAt = begun.findIndex(({ request }) => request.id === id);
    if (begunAt >= 0) begun.splice(begunAt, 1);
  }

  scope.addEventListener('message', ({ data }) => {
    if ('cancel' in data) {
      cancel(data.cancel);
      return;
    }
    waiting.push(data);
    if (!isBusy) void work();
  });
}
