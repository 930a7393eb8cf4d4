import { afterEach, expect, it, vi } from 'vitest';
import type { Slices } from '../../src/base/slices.ts';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import { HANDLERS } from '../../web/src/worker/answer.ts';
import type {
  CancelMessage,
  ReplyMessage,
  RequestMessage,
} from '../../web/src/worker/messages/requests.ts';
import { serve } from '../../web/src/worker/serve.ts';
import { pageOf } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { WHOLE as ALL, TRACKS, WHOLE_TREE as TREE } from '../helpers/selections.ts';

afterEach(() => void vi.restoreAllMocks());

/** A worker with a recording in slot 0; once it is open, `say` is given, all messages at once. */
async function conversation(
  ...notify: readonly (RequestMessage | CancelMessage)[]
): Promise<ReplyMessage[]> {
  const profile = profileFromText(`
    period  4     3     2
            main  main  main
            work  idle  work
  `);
  const bytes = encodePageData(pageOf(profile));
  const replies: ReplyMessage[] = [];
  let hear: (event: { readonly data: RequestMessage | CancelMessage }) => void = () => {};
  let heard: (id: number) => void = () => {};
  const answered = (id: number) =>
    new Promise<void>((resolve) => {
      heard = (last) => {
        if (last === id) resolve();
      };
    });
  serve({
    postMessage: (message) => {
      replies.push(message);
      heard(message.id);
    },
    addEventListener: (_type, listener) => {
      hear = listener;
    },
  });
  const opened = answered(1);
  hear({ data: { id: 1, kind: 'open', params: { slot: 0, side: 'here', bytes } } });
  await opened;
  // Intervals come last of all.
  const quiet = answered(99);
  for (const data of notify) hear({ data });
  hear({ data: { id: 99, kind: 'intervals', params: TREE } });
  await quiet;
  return replies;
}

const idsOf = (replies: readonly ReplyMessage[]) => replies.map(({ id }) => id);
const GRID = { firstNs: 0, cellNs: 1e6, length: 3 };

it('the worker answers interactive requests before background ones', async () => {
  // In no time nothing has to make way for what took less.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  const replies = await conversation(
    { id: 2, kind: 'intervals', params: TREE },
    { id: 6, kind: 'selfInterval', params: { ...ALL, func: 0 } },
    { id: 3, kind: 'tracks', params: { ...TRACKS, grid: GRID } },
    { id: 4, kind: 'tree', params: TREE },
    { id: 5, kind: 'search', params: { ...TREE, search: 'work' } },
    { id: 7, kind: 'details', params: { ...ALL, func: 0 } },
  );
  expect(idsOf(replies).filter((id) => id !== 99)).toEqual([1, 4, 5, 7, 3, 2, 6]);
  expect(replies.every((reply) => 'result' in reply)).toBe(true);
});

it('cancelled requests are never answered, whether they had begun or not', async () => {
  const replies = await conversation(
    { id: 2, kind: 'intervals', params: { ...TREE, weight: 'samples' } },
    { id: 3, kind: 'tree', params: TREE },
    { cancel: 2 },
    { cancel: 3 },
  );
  expect(idsOf(replies)).toEqual([1, 99]);
});

it('the worker reports a failure and continues', async () => {
  const replies = await conversation(
    { id: 2, kind: 'changes', params: { ...ALL, by: 'share' } },
    { id: 3, kind: 'intervals', params: { ...TREE, weight: 'time' } },
    { id: 4, kind: 'tree', params: TREE },
  );
  expect(idsOf(replies).sort()).toEqual([1, 2, 3, 4, 99]);
  const problemOf = (id: number) => replies.find((reply) => reply.id === id);
  expect(problemOf(2)).toEqual({ id: 2, problem: 'no other recording was opened' });
  expect(problemOf(3)).toMatchObject({ problem: expect.stringContaining('time') });
});

/** Gives `work` as the answer to a kind of request, whatever its result is. */
function answering(kinds: { readonly [kind: string]: () => Slices<unknown> }) {
  return { ...HANDLERS, ...kinds } as typeof HANDLERS;
}

it('the worker accepts requests while it computes', async () => {
  let hear: (event: { readonly data: RequestMessage | CancelMessage }) => void = () => {};
  const answered = new Set<number>();
  const order = await new Promise<number[]>((resolve) => {
    const replies: number[] = [];
    const handlers = answering({
      // Two questions come while it computes, and it is not done before both are answered.
      *tracks() {
        yield;
        hear({ data: { id: 3, kind: 'tree', params: TREE } });
        hear({ data: { id: 2, kind: 'search', params: TREE } });
        while (answered.size < 2) yield;
      },
      *search() {
        for (let slice = 0; slice < 1000; slice++) yield;
      },
      // Of two that a person waits for, the one that takes longer must not keep the other waiting.
      *tree() {
        while (!answered.has(2)) yield;
      },
    });
    serve(
      {
        postMessage: ({ id }) => {
          answered.add(id);
          replies.push(id);
          if (replies.length === 3) resolve(replies);
        },
        addEventListener: (_type, listener) => {
          hear = listener;
        },
      },
      handlers,
    );
    hear({ data: { id: 1, kind: 'tracks', params: { ...TRACKS, grid: GRID } } });
  });
  expect(order).toEqual([2, 3, 1]);
});
