import { expect, it } from 'vitest';
import { formatCpuList, parseCpuList } from '../../src/base/cpu-list.ts';

it.each([
  ['0', [0]],
  ['0-3,8', [0, 1, 2, 3, 8]],
  [' 8, 0-1 ', [0, 1, 8]],
  ['3,1-2,2', [1, 2, 3]],
  ['0-1\n', [0, 1]],
])('the CPU list %j means %j', (text, cpus) => {
  expect(parseCpuList(text)).toEqual(cpus);
});

it.each(['', '3-1', '0-', 'a', '1,,2', '-1', '0x3', '65536', '0-99999'])(
  'the CPU list %j is refused',
  (text) => {
    expect(() => parseCpuList(text)).toThrow(
      `'${text}' is not a list of CPUs: write it like 0-3,8`,
    );
  },
);

it('formats CPUs as the shortest list, in any order', () => {
  expect(formatCpuList([8, 1, 0, 3, 2, 2, 10, 9])).toBe('0-3,8-10');
  expect(formatCpuList([5])).toBe('5');
  expect(formatCpuList([])).toBe('');
});

it('a reader of CPU lists parses the CPU list that it formats', () => {
  const cpus = [0, 2, 3, 4, 7, 64, 65];
  expect(parseCpuList(formatCpuList(cpus))).toEqual(cpus);
});

it('a reader of CPU lists parses lists of machines with more CPUs than fit a mask of the C library', () => {
  const cpus = parseCpuList('0-1023,1025-1100');
  expect(cpus).toHaveLength(1100);
  expect([cpus[1023], cpus[1024], cpus.at(-1)]).toEqual([1023, 1025, 1100]);
  expect(formatCpuList(cpus)).toBe('0-1023,1025-1100');
});
