import { expect, test } from 'vitest';
import { explainAttachedRuntimes } from '../../../src/system/launch/attached-runtime.ts';

test.each([
  ['/usr/bin/bun', ['PATH=/bin'], /runs Bun .* BUN_JSC_useJITDump=1,/],
  ['/srv/bun.exe', ['BUN_JSC_useJITDump=0'], /runs Bun /],
  [
    '/usr/bin/deno',
    ['DENO_V8_FLAGS=--stack-size=1'],
    /runs Deno .* DENO_V8_FLAGS=--perf-basic-prof,/,
  ],
])('a running %s with %j has no names', (program, environment, expected) => {
  const [note, ...more] = explainAttachedRuntimes([7], () => ({ program, environment }));
  expect(note).toMatch(expected);
  expect(note).toMatch(/^process 7 /);
  expect(more).toEqual([]);
});

test.each([
  ['/usr/bin/bun', ['BUN_JSC_useJITDump=1']],
  ['/usr/bin/deno', ['DENO_V8_FLAGS=--stack-size=1,--perf-prof']],
  ['/usr/bin/node', []],
  [null, []],
])('nothing is reported of %s with %j', (program, environment) => {
  expect(explainAttachedRuntimes([7], () => ({ program, environment }))).toEqual([]);
});
