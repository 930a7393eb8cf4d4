import type { RequestKind, Requests } from './worker/messages.ts';
import type { AskWorker } from './worker-client.ts';

/**
 * A question that is asked again whenever the state changes: only the answer to the last one is
 * drawn, and the same question is not asked twice.
 */
export function askLatest<Kind extends RequestKind>(
  ask: AskWorker,
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
