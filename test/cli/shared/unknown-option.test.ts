import { expect, test } from 'vitest';
import { perfTs } from '../../helpers/cli.ts';

test('an unknown option is reported by perf-ts, with a pointer to the help', () => {
  const { status, stderr } = perfTs(['report', '--bogus']);
  expect(status).toBe(2);
  expect(stderr).toMatch(/^perf-ts: unknown option '--bogus'\n {2}perf-ts report --help/);
});
