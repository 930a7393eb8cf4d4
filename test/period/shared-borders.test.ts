import { describe, expect, it } from 'vitest';
import { addSharedBorders } from '../../src/period/uncertainty/shared-borders.ts';
import { StepList } from '../../src/period/uncertainty/step-parts.ts';

/**
 * Tasks as their samples' functions, `'aab'`, and the intervals that these end. Rows are numbered task after task;
 * the steps found come back as `{ task, step: 'ab', amount }`.
 */
function findIn(tasks: readonly string[], intervals: (task: number) => readonly number[]) {
  const arrived: number[] = [];
  const place: number[] = [];
  const taskOf: number[] = [];
  const streams = tasks.map((funcs, task) =>
    Int32Array.from(funcs, (func, k) => {
      arrived.push(intervals(task)[k]);
      taskOf.push(task);
      return place.push(func.charCodeAt(0)) - 1;
    }),
  );
  const list = new StepList(0);
  addSharedBorders(streams, Float64Array.from(arrived), place, list);
  const { from, to, amount } = list.finish();
  const nameOf = (row: number) => String.fromCharCode(place[row]);
  return Array.from(amount.subarray(0, list.length), (value, i) => ({
    task: taskOf[to[i]],
    step: nameOf(from[i]) + nameOf(to[i]),
    amount: value,
  }));
}

const repeated = (count: number, funcs: string) => Array.from({ length: count }, () => funcs);
const sum = (steps: readonly { amount: number }[]) =>
  steps.reduce((all, { amount }) => all + amount, 0);

describe('borders that many tasks share', () => {
  it('a border in one interval of all tasks counts as one of all their events', () => {
    const found = findIn(repeated(30, 'aab'), () => [1, 9, 50]);
    expect(found).toHaveLength(30);
    expect(sum(found)).toBeCloseTo((30 * 50) ** 2);
  });

  it('tasks that pass it an interval later are a border of their own', () => {
    const tasks = [...repeated(30, 'aabb'), ...repeated(20, 'aaab')];
    const found = findIn(tasks, () => [1, 9, 50, 200]);
    expect(sum(found.filter(({ task }) => task < 30))).toBeCloseTo((30 * 50) ** 2);
    expect(sum(found.filter(({ task }) => task >= 30))).toBeCloseTo((20 * 200) ** 2);
  });

  it('intervals that begin a few events apart are at one place, those a whole interval apart are not', () => {
    const near = findIn(repeated(30, 'aab'), (task) => [1, 9 + (task % 10), 50]);
    expect(sum(near)).toBeCloseTo((30 * 50) ** 2);
    const apart = findIn(repeated(30, 'aab'), (task) => [1, 9 + 100 * task, 50]);
    expect(apart).toEqual([]);
  });

  it('functions entered as often as they are left share no border', () => {
    expect(findIn([...repeated(30, 'aab'), ...repeated(30, 'bba')], () => [1, 9, 50])).toEqual([]);
    const cycle = [...repeated(30, 'aab'), ...repeated(30, 'bbc'), ...repeated(30, 'cca')];
    expect(findIn(cycle, () => [1, 9, 50])).toEqual([]);
  });

  it('a chain of functions has a border for each pair', () => {
    const found = findIn([...repeated(40, 'aab'), ...repeated(40, 'bbc')], () => [1, 9, 50]);
    expect(sum(found.filter(({ step }) => step === 'ab'))).toBeCloseTo((40 * 50) ** 2);
    expect(sum(found.filter(({ step }) => step === 'bc'))).toBeCloseTo((40 * 50) ** 2);
  });

  it('fewer than twenty tasks share none', () => {
    expect(findIn(repeated(19, 'aab'), () => [1, 9, 50])).toEqual([]);
  });
});
