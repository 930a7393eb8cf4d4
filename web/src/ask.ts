import type { RequestKind, Requests } from './worker/messages.ts';

/** Asks the worker. Rejects with a sentence where it could not answer. */
export type Ask = <Kind extends RequestKind>(
  kind: Kind,
  params: Requests[Kind]['params'],
) => Promise<Requests[Kind]['result']>;

/**
 * A question that is asked again whenever the state changes: only the answer to the last one is
 * drawn, and the same question is not asked twice.
 */
export function askLatest<Kind extends RequestKind>(
  ask: Ask,
  kind: Kind,
  draw: (result: Requests[Kind]['result']) => void,
  fail: (problem: string) => void,
): (params: Requests[Kind]['params']) => void {
  let last = 0;
  let lastQuestion = '';
  return (params) => {
    const question = JSON.stringify(params);
    if (question === lastQuestion) return;
    lastQuestion = question;
    const own = ++last;
    ask(kind, params).then(
      (result) => {
        if (own === last) draw(result);
      },
      (problem: unknown) => {
        if (own === last) fail(problem instanceof Error ? problem.message : String(problem));
      },
    );
  };
}
