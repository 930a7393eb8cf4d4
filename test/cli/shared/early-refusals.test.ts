// A command refuses before it reads its recording all that it can refuse without it.

import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { recordingBehind } from '../../../src/cli/shared/reading-options.ts';
import { openProfile } from '../../../src/read/open-profile.ts';
import { perfTs, scratchDirectory } from '../../helpers/cli.ts';

const RECORDING = resolve(import.meta.dirname, '../../read/fixtures/arm64-group.data');

test('an event that a recording does not have is refused before a record is read', async () => {
  const progress: unknown[] = [];
  const opening = openProfile(RECORDING, {
    event: 'nosuch',
    onProgress: (stage) => progress.push(stage),
  });
  await expect(opening).rejects.toThrow(`no event named nosuch in ${RECORDING}`);
  expect(progress).toEqual([]);
});

test.each([
  [['report', '--time', 'bogus', 'nosuch.data'], '--time bogus: bogus is not a time in seconds'],
  [
    ['export', '-o', '/nosuch/x.html', 'nosuch.data'],
    '/nosuch/x.html: the directory does not exist',
  ],
  [['export', '--format', 'html', '-o', '.', 'nosuch.data'], 'cannot write .: it is a directory'],
  [['report', '-n', 'abc'], '-n abc: -n takes a number of rows, and no recording has that name'],
  [['periods', '--pairs', 'abc'], '--pairs abc: --pairs takes a number or all'],
])('perf-ts %j is refused though there is no recording', (line, reason) => {
  const { status, stderr } = perfTs(line, { cwd: scratchDirectory() });
  expect(status).toBeGreaterThan(0);
  expect(stderr).toContain(reason);
  expect(stderr).not.toContain('no such file: nosuch.data');
});

test('the word behind an option without its value is a recording where there is one', () => {
  expect(recordingBehind('-n', 'a number', RECORDING)).toBe(RECORDING);
  expect(recordingBehind('-n', 'a number', '-')).toBe('-');
  expect(() => recordingBehind('-n', 'a number', 'abc')).toThrow(UsageError);
});
