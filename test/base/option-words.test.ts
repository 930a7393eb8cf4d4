import { expect, test } from 'vitest';
import { FailedError, UsageError } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exit-status.ts';
import { inOptionWords } from '../../src/base/option-words.ts';

test('flags in errors of the library are options, and hints that need a terminal are left out', () => {
  const usage = new UsageError('-p and -t record what runs already: leave the command out', [
    'page-fault',
    '    ^',
    'a command:        perf-ts record -- ./app',
    'nearest: page-faults, with -e',
  ]);
  const error = inOptionWords(usage) as UsageError;
  expect(error).toBeInstanceOf(UsageError);
  expect(error.message).toBe('pids and tids record what runs already: leave the command out');
  expect(error.hints).toEqual(['nearest: page-faults, with events']);
  expect(error.code).toBe('ERR_INVALID_ARG_VALUE');
});

test('words that only look like flags stay, and so do classes of their own', () => {
  const failed = new FailedError('cannot execute ./a-p: /x/-p, --perf-basic-prof and -o=x', [
    '-F -1',
    'use --duration SECONDS',
    '--tree DEPTH',
  ]);
  const { message, hints } = inOptionWords(failed) as FailedError;
  expect(message).toBe('cannot execute ./a-p: /x/-p, --perf-basic-prof and -o=x');
  expect(hints).toEqual(['freq -1', 'use durationMs', '--tree DEPTH']);
  const other = new RangeError('-p');
  expect(inOptionWords(other)).toBe(other);
});

test('failures have the errno of the refusal as their code', () => {
  expect(new FailedError('cannot write x: permission denied (EACCES)').code).toBe('EACCES');
  expect(new FailedError('command not found: x', [], EXIT.NOT_FOUND).code).toBe('ENOENT');
  expect(new FailedError('cannot execute x', [], EXIT.NOT_EXECUTABLE).code).toBe('EACCES');
  expect(new FailedError('no such process: 7', [], EXIT.FAILED, 'ESRCH').code).toBe('ESRCH');
  expect(new FailedError('a file called (EACCES) is there').code).toBe('ERR_OPERATION_FAILED');
});
