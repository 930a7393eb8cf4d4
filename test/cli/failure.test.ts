import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { reportFailure } from '../../src/cli/failure.ts';

afterEach(() => vi.restoreAllMocks());

/** What is printed of an error on standard error. */
function printed(error: unknown, verbose = false): string {
  let text = '';
  vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += chunk;
    return true;
  });
  expect(reportFailure(error, verbose)).toBe(125);
  return text;
}

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test('what the kernel refuses is one line, a fault of ours has its stack', () => {
  const refused = caught(() => readFileSync('/nonexistent/file'));
  expect(printed(refused)).toBe(
    "perf-ts: ENOENT: no such file or directory, open '/nonexistent/file'\n",
  );
  expect(printed(refused, true)).toContain('    at ');
  expect(printed(caught(() => (undefined as never as string).length))).toContain('    at ');
});
