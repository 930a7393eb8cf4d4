import { expect, test } from 'vitest';
import { threadNames } from '../../web/src/worker/recording/thread-names.ts';

const thread = (pid: number, tid: number, comm: string) => ({ pid, tid, generation: 0, comm });

test('the main thread is called so where its process has others', () => {
  expect(
    threadNames([
      thread(1, 1, 'node'),
      thread(1, 2, 'V8 worker'),
      thread(3, 3, 'sh'),
      thread(4, 4, ''),
      thread(-1, 5, 'a'),
    ]),
  ).toEqual(['node main thread', 'V8 worker', 'sh', '[unknown]', 'a']);
});
