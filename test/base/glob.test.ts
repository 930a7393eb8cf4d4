import { expect, it } from 'vitest';
import { globMatcher, isGlob } from '../../src/base/glob.ts';

it.each([
  ['sched:*', 'sched:sched_switch', true],
  ['sched:*', 'xsched:a', false],
  ['sys_enter_?', 'sys_enter_a', true],
  ['sys_enter_?', 'sys_enter_ab', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[!a-c]x', 'dx', true],
  ['[]]x', ']x', true],
  ['a[b', 'a[b', true],
  ['a.c', 'abc', false],
  ['a+(b)', 'a+(b)', true],
  ['msr/*/', 'msr/tsc/', true],
  ['[z-a]', 'm', false],
  ['[\\d]', '5', false],
  ['', '', true],
  ['*', '', true],
])('glob %s on %s matches: %s', (glob, name, expected) => {
  expect(globMatcher(glob)(name)).toBe(expected);
});

it('a glob of many stars in a row matches in linear time', () => {
  expect(globMatcher(`${'*'.repeat(40)}b`)('a'.repeat(5000))).toBe(false);
});

it('isGlob distinguishes globs from names', () => {
  expect(['a*', 'a?', '[a]', 'a-b', 'a!'].map(isGlob)).toEqual([true, true, true, false, false]);
});
