import type { AskWorker } from '../worker/messages/requests.ts';

/** Milliseconds that the first answer waits for the others at most. */
const MOST_WAIT_MS = 100;

/**
 * Asks the same worker, and hands answers on together, once all are there that were asked: drawn one by one, each takes a
 * style, a layout and a frame of the whole page.
 */
export function answersTogether(ask: AskWorker): AskWorker {
  let awaited = 0;
  let held: (() => void)[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const handOn = () => {
    clearTimeout(timer);
    timer = undefined;
    const all = held;
    held = [];
    for (const act of all) act();
  };
  const settle = (act: () => void) => {
    awaited--;
    held.push(act);
    if (awaited === 0) handOn();
    else timer ??= setTimeout(handOn, MOST_WAIT_MS);
  };
  const together: AskWorker = (kind, params, signal) =>
    new Promise((resolve, reject) => {
      awaited++;
      // A cancelled question may never be answered: nothing waits for it.
      const end = new AbortController();
      const settleOnce = (act: () => void) => {
        if (end.signal.aborted) return;
        end.abort();
        settle(act);
      };
      signal?.addEventListener('abort', () => settleOnce(() => {}), { signal: end.signal });
      ask(kind, params, signal).then(
        (result) => settleOnce(() => resolve(result)),
        (problem) => settleOnce(() => reject(problem)),
      );
    });
  return Object.assign(together, ask.opened && { opened: ask.opened });
}
