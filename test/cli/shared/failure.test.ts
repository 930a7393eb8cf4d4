import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import { reportFailure } from '../../../src/cli/shared/failure.ts';
import { beginRun } from '../../../src/cli/shared/run.ts';
import * as stdout from '../../../src/cli/shared/stdout.ts';

vi.mock('../../../src/cli/shared/stdout.ts', { spy: true });

afterEach(() => vi.resetAllMocks());

/** What is printed of an error on standard error. */
function printed(error: unknown, verbose = false): string {
  const write = vi.spyOn(stdout, 'writeError').mockImplementation(() => {});
  beginRun().isVerbose = verbose;
  expect(reportFailure(error)).toBe(125);
  return write.mock.calls.map(([text]) => text).join('');
}

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

test('a refusal of the kernel prints one line, with --verbose also the stack', () => {
  const refused = caught(() => readFileSync('/nonexistent/file'));
  expect(printed(refused)).toBe(
    'perf-ts: cannot open /nonexistent/file: it does not exist (ENOENT)\n',
  );
  expect(printed(refused, true)).toContain('    at ');
});

test('an error of the addon prints one line that names the operation', () => {
  const refused = Object.assign(new Error('fork: Cannot allocate memory, pid 7'), {
    code: 'ENOMEM',
    errno: 12,
    operation: 'pidfd_open',
    pid: 7,
  });
  expect(printed(refused)).toBe(
    'perf-ts: pidfd_open failed for process 7: not enough memory (ENOMEM)\n',
  );
});

test('a bug of perf-ts prints one line and a hint, with --verbose also the stack', () => {
  const fault = caught(() => (undefined as never as string).length);
  expect(printed(fault)).toBe(
    "perf-ts: internal error: Cannot read properties of undefined (reading 'length')\n" +
      '  --verbose prints where in perf-ts it happened: please report it with that\n',
  );
  expect(printed(fault, true)).toContain('    at ');
});
