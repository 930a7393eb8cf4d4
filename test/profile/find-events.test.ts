import { expect, test } from 'vitest';
import { UsageError } from '../../src/base/errors.ts';
import { findEvents } from '../../src/profile/find-events.ts';

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

test('a name without a kind of core means the event of each kind', () => {
  const names = ['cpu_core/cycles/P', 'cpu_atom/cycles/P', 'page-faults'];
  const coreTypes = [
    { name: 'cpu_core', cpus: [0] },
    { name: 'cpu_atom', cpus: [1] },
  ];
  expect(findEvents(names, 'cycles:P', coreTypes)).toEqual([0, 1]);
  expect(findEvents(names, 'cycles', coreTypes)).toEqual([0, 1]);
  expect(findEvents(names, 'cpu_atom/cycles/', coreTypes)).toEqual([1]);
  expect(() => findEvents(names, 'cycles')).toThrow(UsageError);
});

test.each(['x', 'cpu', 'sched', 'cycles:u', ''])(
  '-e %j finds none or several events and is refused',
  (wanted) => {
    expect(() => findEvents(NAMES, wanted)).toThrow(UsageError);
  },
);
