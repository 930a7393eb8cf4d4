import { messageOf } from '../../../src/base/errors.ts';
import type { Slices } from '../../../src/base/slices.ts';
import { HANDLERS, type Handler } from './answer.ts';
import type {
  CancelMessage,
  ReplyMessage,
  RequestKind,
  RequestMessage,
} from './messages/requests.ts';
import { OpenRecordings } from './open-recordings.ts';

/** The part of a worker's global scope that is used; a `MessagePort` has it as well. */
export type Scope = {
  postMessage(message: ReplyMessage): void;
  addEventListener(
    type: 'message',
    listener: (event: { readonly data: RequestMessage | CancelMessage }) => void,
  ): void;
};

/** After so long an answer makes way for whatever was asked meanwhile. */
const SLICE_MS = 8;

/**
 * Ranks of what comes after everything that a person clicked or typed for: the pictures of time,
 * which stand beside it; then what fills in what is shown already.
 */
const RANK: { readonly [Kind in RequestKind]?: number } = {
  tracks: 1,
  lanes: 1,
  heatmap: 1,
  period: 1,
  intervals: 2,
  selfInterval: 2,
  changes: 2,
};

/** A request, and what is left to do for it. */
type Begun = {
  readonly request: RequestMessage;
  readonly work: Slices<unknown>;
  readonly rank: number;
  /** Milliseconds that it had so far. */
  hadMs: number;
};

/** Answers requests as they come. */
export function serve(scope: Scope, handlers = HANDLERS): void {
  const turns = new Turns(scope, handlers);
  scope.addEventListener('message', ({ data }) => {
    if ('cancel' in data) turns.cancel(data.cancel);
    else turns.begin(data);
  });
}

/**
 * Answers requests in turns. In a turn one request is gone on with for `SLICE_MS`: of those of the
 * lowest rank the one that had the least time, so that what is quickly answered need not wait for
 * what is not. Between two turns the messages that came meanwhile are taken in: a cancelled request
 * is not gone on with.
 */
class Turns {
  readonly #scope: Scope;
  readonly #handlers: typeof HANDLERS;
  readonly #recordings = new OpenRecordings();
  #begun: readonly Begun[] = [];
  #isBusy = false;

  constructor(scope: Scope, handlers: typeof HANDLERS) {
    this.#scope = scope;
    this.#handlers = handlers;
  }

  begin(request: RequestMessage): void {
    const handler = this.#handlers[request.kind] as Handler;
    const work = handler(this.#recordings, request.params);
    this.#begun = [...this.#begun, { request, work, rank: rankOf(request), hadMs: 0 }];
    this.#takeTurns();
  }

  cancel(id: number): void {
    this.#begun = this.#begun.filter(({ request }) => request.id !== id);
  }

  /**
   * A turn is a task of its own, so messages that came before it was asked for come before it. Timers
   * would do that as well, but a browser makes those wait that follow each other, 4 ms each.
   */
  #takeTurns(): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const { port1, port2 } = new MessageChannel();
    port2.addEventListener('message', () => {
      if (this.#begun.length > 0) this.#takeTurn();
      if (this.#begun.length > 0) {
        port1.postMessage(null);
        return;
      }
      port1.close();
      this.#isBusy = false;
    });
    port2.start();
    port1.postMessage(null);
  }

  #takeTurn(): void {
    const next = this.#begun.reduce((first, other) => (isBefore(other, first) ? other : first));
    const { id } = next.request;
    const start = performance.now();
    let isAnswered = true;
    try {
      const step = goOn(next.work, start + SLICE_MS);
      isAnswered = step.done === true;
      if (step.done === true) this.#scope.postMessage({ id, result: step.value });
    } catch (error) {
      const problem = messageOf(error);
      this.#scope.postMessage({ id, problem });
    }
    next.hadMs += performance.now() - start;
    if (isAnswered) this.#begun = this.#begun.filter((other) => other !== next);
  }
}

/** Goes on with `work` until it is done or `performance.now()` reaches `deadline`. */
function goOn(work: Slices<unknown>, deadline: number): IteratorResult<void, unknown> {
  let step = work.next();
  while (step.done !== true && performance.now() < deadline) step = work.next();
  return step;
}

function rankOf({ kind, params }: RequestMessage): number {
  const rank = kind === 'table' && params.intervals ? RANK.intervals : RANK[kind];
  return rank ?? 0;
}

function isBefore(a: Begun, b: Begun): boolean {
  return a.rank !== b.rank ? a.rank < b.rank : a.hadMs < b.hadMs;
}
