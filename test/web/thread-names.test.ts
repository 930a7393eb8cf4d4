import { expect, test } from 'vitest';
import {
  firstRoots,
  foldDigits,
  programsOf,
  threadNames,
} from '../../web/src/worker/recording/thread-names.ts';

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

test('the number of a thread is no part of its program, and that of V8 is', () => {
  expect(['pool-17', 'kworker/0:1', 'V8 worker', 'V8 worker 3'].map(foldDigits)).toEqual([
    'pool-*',
    'kworker/*:*',
    'V8 worker',
    'V8 worker *',
  ]);
});

test('comms that differ by their numbers alone are one program where there are many of them', () => {
  const few = Array.from({ length: 8 }, (_, i) => `pool-${i}`);
  const many = Array.from({ length: 9 }, (_, i) => `job-${i}:${i * 7}`);
  // A function's name among the strings is no comm.
  const strings = ['job-99:1', 'make', ...few, ...many];
  const comm = Int32Array.from(strings.slice(1), (_, i) => i + 1);
  const samples = { length: comm.length, comm };
  const { firstComm, names } = programsOf({ samples, strings });
  expect([...names]).toEqual([[10, 'job-*:*']]);
  expect([...firstComm]).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...many.map(() => 10)]);
});

test('a graph begins with programs unless each of them is too narrow to be seen', () => {
  const of = (count: number, name: (i: number) => string) =>
    Array.from({ length: count }, (_, i) => ({ comm: name(i), samples: 10 }));
  const letters = (i: number) => `tool-${'abcdefghijklmnopqrstuvwxyz'[i]}`;
  expect(firstRoots(of(20, letters))).toBe('comm');
  expect(firstRoots(of(21, letters))).toBe('none');
  expect(firstRoots(of(200, (i) => `job-${i}`))).toBe('comm');
  expect(firstRoots([])).toBe('comm');
});
