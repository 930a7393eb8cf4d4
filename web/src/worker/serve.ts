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
const SLICE_MS = 8;

/**
 * What comes after everything that a person clicked or typed for: the pictures of time, which stand
 * beside it; then what fills in what is shown already.
 */
const RANK: { readonly [Kind in RequestKind]?: number } = {
  timeline: 1,
  heatmap: 1,
  period: 1,
  intervals: 2,
  changes: 2,
};

/** A request that was begun, and what is left to do for it. */
type Begun = {
  readonly request: RequestMessage;
  readonly work: Slices<unknown>;
  readonly rank: number;
  /** Milliseconds that it had so far. */
  hadMs: number;
};

/**
 * Answers requests in turns. In a turn one request is begun, or one that takes long is gone on with
 * for `SLICE_MS`: of those of the lowest rank the one that had the least time, so that what is quickly
 * answered need not wait for what is not. Between two turns the messages that came meanwhile are
 * taken in: a cancelled request is not begun, or not gone on with.
 */
export function serve(scope: Scope, answers = createInterruptibleAnswers()): void {
  const waiting: RequestMessage[] = [];
  const begun: Begun[] = [];
  let isBusy = false;

  function begin(request: RequestMessage): void {
    const answer = answers[request.kind] as (params: unknown) => unknown;
    attempt(request, () => {
      const work = answer(request.params);
      if (isSlices(work)) begun.push({ request, work, rank: rankOf(request), hadMs: 0 });
      else scope.postMessage({ id: request.id, result: work });
    });
  }

  function goOn(): void {
    const next = begun.reduce((first, other) => (isBefore(other, first) ? other : first));
    const { request, work } = next;
    const start = performance.now();
    const isDone = attempt(request, () => {
      do {
        const step = work.next();
        if (step.done !== true) continue;
        scope.postMessage({ id: request.id, result: step.value });
        return true;
      } while (performance.now() < start + SLICE_MS);
      return false;
    });
    next.hadMs += performance.now() - start;
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

  /**
   * A turn is a task of its own, so messages that came before it was asked for come before it. Timers
   * would do that as well, but a browser makes those wait that follow each other, 4 ms each.
   */
  function takeTurns(): void {
    if (isBusy) return;
    isBusy = true;
    const { port1, port2 } = new MessageChannel();
    port2.addEventListener('message', () => {
      const request = waiting.shift();
      if (request !== undefined) begin(request);
      else if (begun.length > 0) goOn();
      if (waiting.length + begun.length > 0) {
        port1.postMessage(null);
        return;
      }
      port1.close();
      isBusy = false;
    });
    port2.start();
    port1.postMessage(null);
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
    takeTurns();
  });
}

function rankOf({ kind, params }: RequestMessage): number {
  const rank = kind === 'table' && params.intervals ? RANK.intervals : RANK[kind];
  return rank ?? 0;
}

function isBefore(a: Begun, b: Begun): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.hadMs < b.hadMs;
}
