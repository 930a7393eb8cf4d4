import { expect, test } from 'vitest';
import { FailedError, failedBy } from '../../src/base/errors.ts';
import { EXIT } from '../../src/base/exit-status.ts';
import { explainExecFailure } from '../../src/system/launch/start-failure.ts';

test('an error that the system stands behind has the code of that, whatever its message ends with', () => {
  const refused = Object.assign(new Error('open: Permission denied'), { code: 'EACCES' });
  expect(failedBy(refused, 'cannot read app (ENOENT)').code).toBe('EACCES');
  expect(failedBy('ESRCH', 'no such process: 7').code).toBe('ESRCH');
  expect(failedBy(failedBy(refused, 'the folder'), 'the output').code).toBe('EACCES');
});

test('an error that no refusal of the system stands behind has no code of one', () => {
  expect(new FailedError('cannot read a file of the name app (EACCES)').code).toBe(
    'ERR_OPERATION_FAILED',
  );
  const ofNode = Object.assign(new Error('closed'), { code: 'ERR_SOCKET_CLOSED' });
  expect(failedBy(ofNode, 'the server').code).toBe('ERR_OPERATION_FAILED');
  expect(failedBy(null, 'nothing').code).toBe('ERR_OPERATION_FAILED');
});

test('a command that cannot be executed has the code of exec', () => {
  expect(explainExecFailure(null, 'execve', 'E2BIG')).toMatchObject({
    code: 'E2BIG',
    exitStatus: EXIT.NOT_EXECUTABLE,
  });
  expect(explainExecFailure(null, 'setuid', 'EPERM')).toMatchObject({
    code: 'EPERM',
    exitStatus: EXIT.FAILED,
  });
});
