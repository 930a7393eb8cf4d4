import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answersTogether } from '../../web/src/ask/answers-together.ts';
import type { AskWorker } from '../../web/src/worker/messages/requests.ts';

describe('answers that are handed on together', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A worker that answers when it is told to, and the answers that were handed on. */
  function asked(count: number) {
    const waiting: { resolve: (result: never) => void; reject: (problem: Error) => void }[] = [];
    const ask: AskWorker = () =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve, reject });
      });
    const together = answersTogether(ask);
    const seen: string[] = [];
    const ends = Array.from({ length: count }, (_, at) => {
      const end = new AbortController();
      together('details', {} as never, end.signal).then(
        () => seen.push(`answer ${at}`),
        ({ message }: Error) => seen.push(message),
      );
      return end;
    });
    const tick = () => vi.advanceTimersByTimeAsync(0);
    return { waiting, ends, seen, tick };
  }

  it('answers come at once when all are there, in the order of their arrival', async () => {
    const { waiting, seen, tick } = asked(3);
    waiting[1].resolve(null as never);
    waiting[2].reject(new Error('problem 2'));
    await tick();
    expect(seen).toStrictEqual([]);
    waiting[0].resolve(null as never);
    await tick();
    expect(seen).toStrictEqual(['answer 1', 'problem 2', 'answer 0']);
  });

  it('an answer that was cancelled holds none up', async () => {
    const { waiting, ends, seen, tick } = asked(2);
    waiting[0].resolve(null as never);
    await tick();
    expect(seen).toStrictEqual([]);
    ends[1].abort();
    await tick();
    expect(seen).toStrictEqual(['answer 0']);
  });

  it('an answer waits a tenth of a second, and no longer', async () => {
    const { waiting, seen } = asked(2);
    waiting[0].resolve(null as never);
    await vi.advanceTimersByTimeAsync(99);
    expect(seen).toStrictEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(seen).toStrictEqual(['answer 0']);
    waiting[1].resolve(null as never);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toStrictEqual(['answer 0', 'answer 1']);
  });
});
