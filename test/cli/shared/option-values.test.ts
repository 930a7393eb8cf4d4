import { expect, test } from 'vitest';
import { percentage, positiveNumber } from '../../../src/cli/shared/option-values.ts';
import { perfTs } from '../../helpers/cli.ts';

test.each([
  ['.3', 0.3],
  ['2', 2],
  ['2.', 2],
  ['0.25', 0.25],
])('the option value %s is a number', (text, value) => {
  expect(positiveNumber('--duration', text)).toBe(value);
  expect(percentage('--percent-limit', text)).toBe(value / 100);
});

test.each(['0', '-1', '.', '', '1e3', '0x10', '3s'])(
  "the option value '%s' is not a number above 0",
  (text) => {
    expect(() => positiveNumber('--duration', text)).toThrow(`--duration ${text}: expected`);
  },
);

test('an unknown option is reported by perf-ts, with a pointer to the help', () => {
  const { status, stderr } = perfTs(['report', '--bogus']);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^perf-ts: unknown option '--bogus'\n {2}perf-ts report --help/);
});
