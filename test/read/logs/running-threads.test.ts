import { expect, test } from 'vitest';
import { RunningThreads } from '../../../src/read/logs/running-threads.ts';

test('threads that came onto a CPU are counted until they leave it or end', () => {
  const running = new RunningThreads();
  expect(running.countAt(7, 0)).toBe(1);
  running.noteOn(8, 1);
  expect(running.countAt(7, 0)).toBe(2);
  running.noteOff(8);
  running.noteOff(8);
  expect(running.countAt(7, 0)).toBe(1);
});

test('a CPU runs one thread, and a thread is on one CPU, whichever record was lost', () => {
  const running = new RunningThreads();
  running.noteOn(7, 0);
  running.noteOn(8, 0);
  expect(running.countAt(8, 0)).toBe(1);
  expect(running.countAt(8, 1)).toBe(1);
  expect(running.countAt(9, 0)).toBe(2);
});

test('the idle task takes a thread off its CPU, and is none itself', () => {
  const running = new RunningThreads();
  running.noteOn(7, 0);
  running.noteOn(0, 0);
  expect(running.countAt(8, 1)).toBe(1);
});
