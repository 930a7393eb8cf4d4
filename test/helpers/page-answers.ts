import { finish } from '../../src/base/slices.ts';
import { HANDLERS, type Handler } from '../../web/src/worker/answer.ts';
import type { RequestKind, Requests } from '../../web/src/worker/messages/requests.ts';
import { OpenRecordings } from '../../web/src/worker/open-recordings.ts';

export type Answers = {
  readonly [Kind in RequestKind]: (params: Requests[Kind]['params']) => Requests[Kind]['result'];
};

/** The answers of the page's worker about recordings of their own, each computed without a break. */
export function createAnswers(): Answers {
  const open = new OpenRecordings();
  const answers = Object.entries(HANDLERS).map(([kind, handler]) => [
    kind,
    (params: never) => finish((handler as Handler)(open, params)),
  ]);
  return Object.fromEntries(answers) as Answers;
}
