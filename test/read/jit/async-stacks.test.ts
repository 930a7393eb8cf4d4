import { describe, expect, test } from 'vitest';
import { Diagnostics } from '../../../src/base/diagnostics.ts';
import { MARK_KINDS } from '../../../src/profile/mark-table.ts';
import type { ProfileThread } from '../../../src/profile/types.ts';
import { decodeLoops } from '../../../src/read/jit/loop-streams.ts';
import { TurnStream } from '../../helpers/turn-stream.ts';

const MS = 1e6;
const PID = 10;
const REQUEST = MARK_KINDS.indexOf('request');
const threads = [{ pid: PID, tid: PID } as ProfileThread];
/** A frame as the program sends it. */
const ran = (name: string, file = '/a.js') => [0, name, file, 1, 1];
const awaits = (name: string) => [1, name, '/a.js', 2, 1];
const LEAF = [ran('burn'), ran('leaf'), awaits('middle'), awaits('first')];

/** By context: its time in milliseconds, and the resumed function with those that await it; null: not known. */
function told(stream: TurnStream) {
  const streams = [{ pid: PID, bytes: stream.attachment() }];
  const start = { high: 0, low: 0 };
  const { marks } = decodeLoops(streams, start, threads, 90 * MS, new Diagnostics());
  const { timeNs = [], stack = [] } = marks?.contexts ?? {};
  return Array.from(stack, (row, i) => {
    const { resumed, awaiting } = marks?.asyncStacks?.[row] ?? {};
    return [timeNs[i] / MS, resumed ? [resumed, ...awaiting!].map(({ name }) => name) : null];
  });
}

/** A request, and a context before all others, which is that of no sample. */
const server = () =>
  new TurnStream(PID)
    .mark(REQUEST, 'GET /a', { fromNs: 0, lengthNs: -1 }, 1)
    .contexts(0.1 * MS, [[0.1 * MS, -1]]);

describe('functions that await', () => {
  test('a stack is that of the samples up to the moment that V8 kept it, and of those with its number', () => {
    const stream = server()
      .contexts(1 * MS, [
        [1 * MS, 1],
        [2 * MS, 1],
        [2.5 * MS, 1],
        [4 * MS, 1],
        [5 * MS, 1, 1],
      ])
      .asyncStack(2 * MS, 1, 1 * MS, [0, LEAF])
      .contexts(20 * MS, [
        [20 * MS, 1, 1],
        [21 * MS, 1, 2],
        [22 * MS, 1, 3],
      ])
      .asyncStack(20.5 * MS, 2, 1000, [0])
      .asyncStack(21.5 * MS, 3, 1000, [1, [ran('leaf'), awaits('second')]]);
    const leaf = ['leaf', 'middle', 'first'];
    expect(told(stream)).toEqual([
      [0.1, null],
      [1, null],
      [2, leaf],
      [2.5, leaf],
      [4, null],
      [5, leaf],
      [20, leaf],
      [21, leaf],
      [22, ['leaf', 'second']],
    ]);
  });

  test('frames from which the event loop runs microtasks have not resumed the function, and nothing may await it', () => {
    const loop = [
      ran('runNextTicks', 'node:internal/process/task_queues'),
      ran('processImmediate', 'node:internal/timers'),
    ];
    const stream = server()
      .asyncStack(1 * MS, 1, 0, [0, [ran('burn'), ran('leaf'), ...loop, awaits('first')]])
      .asyncStack(2 * MS, 2, 0, [1, [ran('burn'), ran('handle'), ...loop]])
      .contexts(1 * MS, [
        [1 * MS, 1],
        [2 * MS, 1],
      ]);
    expect(told(stream).slice(1)).toEqual([
      [1, ['leaf', 'first']],
      [2, ['handle']],
    ]);
  });

  test('a function that V8 was about to resume, and a hook for promises, are of no sample', () => {
    const hook = ran('promiseBeforeHook', 'node:internal/async_hooks');
    const stream = server()
      .asyncStack(1 * MS, 1, 0, [0, [ran('leaf')]])
      .asyncStack(2 * MS, 2, 0, [1, [ran('init'), hook]])
      .contexts(1 * MS, [
        [1 * MS, 1],
        [2 * MS, 1],
      ]);
    expect(told(stream).map(([, names]) => names)).toEqual([null, null, null]);
  });

  test('texts that are none, and numbers of texts that did not come, are of no sample', () => {
    const stream = server();
    const bad = [
      [3],
      'text',
      { 0: 1 },
      [0, 'frames'],
      [0, [[0, 'name']]],
      [0, []],
      [0, [awaits('a')]],
    ];
    for (const [i, json] of bad.entries()) stream.asyncStack(i * MS, i + 1, 0, json);
    stream.contexts(
      0,
      bad.map((_, i) => [i * MS, 1] as const),
    );
    expect(told(stream).map(([, names]) => names)).toEqual([null, ...bad.map(() => null)]);
  });

  test('samples for whose contexts there was no room have none', () => {
    const stream = server()
      .asyncStack(1 * MS, 1, 5 * MS, [0, LEAF])
      .contexts(2 * MS, [[2 * MS, 1]])
      .contexts(3 * MS, [], 2);
    expect(told(stream).slice(1)).toEqual([
      [2, ['leaf', 'middle', 'first']],
      [3, null],
    ]);
  });
});
