import { expect, test } from 'vitest';
import { isCpuTime, quantityName } from '../../src/profile/cpu-time.ts';

const timed = (name: string) => ({ name, mode: 'clock', unit: 'nanoseconds' }) as const;

test.each([
  ['cpu-clock:u', true],
  ['task-clock', true],
  ['cpu', true],
  ['time', false],
  ['wall', false],
  ['off-cpu', false],
  ['cpu-migrations', false],
])('nanoseconds of %s are time on a CPU: %s', (name, expected) => {
  expect(isCpuTime(timed(name))).toBe(expected);
});

test('time that passed has the name of its event, and samples are samples', () => {
  expect(quantityName(timed('cpu-clock'), { unit: 'nanoseconds', kind: 'events' })).toBe(
    'CPU time',
  );
  expect(quantityName(timed('cpu-clock'), { unit: 'nanoseconds', kind: 'wall' })).toBe('wall time');
  expect(quantityName(timed('time'), { unit: 'nanoseconds', kind: 'events' })).toBe('time');
  expect(quantityName(timed('cpu-clock'), { unit: 'samples', kind: 'samples' })).toBe('samples');
  const cycles = { name: 'cycles', mode: 'frequency', unit: 'events' } as const;
  expect(quantityName(cycles, { unit: 'events', kind: 'wall' })).toBe('cycles');
});
