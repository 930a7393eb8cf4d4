import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { findEvents } from '../../src/read/find-events.ts';

const NAMES = [
  'cycles:HG',
  'cpu-clock/period=7,freq=0/u',
  'cpu/event=0x3c/',
  'sched:sched_switch',
  'x:u',
  'x:k',
];

test.each([
  ['cycles', [0]],
  ['cycles:HG', [0]],
  ['cpu-clock', [1]],
  ['cpu/event=0x3c/', [2]],
  ['sched:sched_switch', [3]],
  ['x:k', [5]],
])('-e %s', (wanted, rows) => {
  expect(findEvents(NAMES, wanted)).toEqual(rows);
});

test('several attrs of one event are one event', () => {
  expect(findEvents(['cycles', 'dummy:u', 'cycles'], 'cycles')).toEqual([0, 2]);
  expect(findEvents(['cycles:u', 'dummy:u', 'cycles:u'], 'cycles')).toEqual([0, 2]);
});

test.each(['x', 'cpu', 'sched', 'cycles:u', ''])(
  '-e %j finds none or several events and is refused',
  (wanted) => {
    expect(() => findEvents(NAMES, wanted)).toThrow(UsageError);
  },
);
