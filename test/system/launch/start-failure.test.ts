import { describe, expect, test } from 'vitest';
import type { NativeError } from '../../../src/native/types.ts';
import {
  explainExecFailure,
  explainGoneBeforeStart,
  explainStartFailure,
} from '../../../src/system/launch/start-failure.ts';

const failed = (operation: string, code: string) =>
  explainStartFailure(
    Object.assign(new Error(`${operation}: ${code}`), {
      operation,
      code,
      errno: 0,
      eventIndex: -1,
      cpu: -1,
      pid: -1,
    }) satisfies NativeError,
  );

describe('a command whose held child could not be made', () => {
  test.each([
    ['fork', 'EAGAIN', 'fork failed: it is not available at the moment (EAGAIN)', 'pids.max'],
    ['fork', 'EPERM', 'fork failed: not permitted (EPERM)', 'may refuse clone'],
    ['pidfd_open', 'EPERM', 'pidfd_open failed: not permitted (EPERM)', 'may refuse pidfd_open'],
    ['pidfd_open', 'ENOSYS', 'pidfd_open failed: ENOSYS', 'older than 5.3'],
    ['socketpair', 'EMFILE', 'socketpair failed: this process has too many', 'ulimit -n'],
  ])(
    'a failed child is explained by what failed, and not by an event: %s, %s',
    (operation, code, reported, hint) => {
      const error = failed(operation, code);
      expect(error?.message).toContain(`the command was not started: ${reported}`);
      expect(error?.hints.join('\n')).toContain(hint);
      expect(error?.hints.join('\n')).not.toContain('perf_event');
    },
  );

  test('a failed child is explained by its end where that came before the start', () => {
    const command = { path: '/bin/true' };
    for (const error of [
      explainGoneBeforeStart(),
      explainExecFailure(command, 'release', 'ESRCH'),
    ]) {
      expect(error.message).toBe('the command was not started: its process has ended before');
    }
    expect(explainExecFailure(command, 'send', 'ENOMEM').message).toBe(
      'the command was not started: send failed: not enough memory (ENOMEM)',
    );
  });

  test('a failed child is not what the failure of an event means', () => {
    expect(failed('perf_event_open', 'EPERM')).toBeNull();
    expect(failed('mmap', 'EPERM')).toBeNull();
  });
});
