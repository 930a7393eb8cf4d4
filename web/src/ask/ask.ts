import type { AskWorker, RequestKind, Requests } from '../worker/messages/requests.ts';

const NOTHING = '';

/**
 * A question that is asked again whenever the state changes. Only the last one counts: those before
 * it are cancelled, and the same one is not asked twice of the same recordings. Null asks nothing and cancels the last one.
 * Returns whether the question differs from the one before.
 */
export function askLatest<Kind extends RequestKind>(
  ask: AskWorker,
  kind: Kind,
  draw: (result: Requests[Kind]['result'], params: Requests[Kind]['params']) => void,
  fail: (problem: string) => void,
): (params: Requests[Kind]['params'] | null) => boolean {
  let running: AbortController | null = null;
  let asked = NOTHING;
  return (params) => {
    const question = params === null ? NOTHING : `${ask.opened?.() ?? 1} ${JSON.stringify(params)}`;
    if (question === asked) return false;
    asked = question;
    running?.abort();
    if (params === null) return true;
    running = new AbortController();
    const { signal } = running;
    ask(kind, params, signal).then(
      (result) => {
        if (!signal.aborted) draw(result, params);
      },
      (problem: Error) => {
        if (!signal.aborted) fail(problem.message);
      },
    );
    return true;
  };
}
