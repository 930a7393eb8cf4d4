import { expect, test } from 'vitest';
import { isOwnScript } from '../../src/base/own-files.ts';
import { takeInModule } from '../../src/system/runtimes/register-modules.ts';

test('a text that perf-ts evaluates in a program that runs is a script of its own', () => {
  const options = { library: '/lib.node', socket: '@recorder', closesInspector: false };
  const text = takeInModule().takeInExpression(options);
  const [, url = ''] = /\n\/\/# sourceURL=(\S+)$/.exec(text) ?? [];
  expect([url, isOwnScript(url)]).toEqual(['node:internal/perf-ts/take-in', true]);
  // Workers are given theirs in a text of this one.
  expect(text.split(`# sourceURL=${url}`)).toHaveLength(3);
  expect(isOwnScript('node:internal/process/task_queues')).toBe(false);
});
