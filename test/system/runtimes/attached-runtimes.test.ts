import { expect, test } from 'vitest';
import {
  explainAttachedNode,
  explainAttachedRuntimes,
  type ProcessFacts,
} from '../../../src/system/runtimes/attached-runtimes.ts';

const BOTH = ['--perf-basic-prof', '--interpreted-frames-native-stack'];

function reported(facts: Partial<ProcessFacts>): string[] {
  const node = {
    program: '/usr/bin/node',
    words: ['node', 'app.js'],
    environment: [],
    hasMap: false,
  };
  return explainAttachedNode([42], () => ({ ...node, ...facts }));
}

test('a Node without the flags: what is missing and what helps', () => {
  const [sentence, ...rest] = reported({});
  expect(rest).toEqual([]);
  expect(sentence).toContain('process 42');
  expect(sentence).toContain('will have no names');
  expect(sentence).toContain('perf-ts record --attach-js names them');
});

test('a Node whose permission model keeps the inspector from it is not to be asked by it', () => {
  const [sentence] = reported({ words: ['node', '--permission', 'app.js'] });
  expect(sentence).toContain('start it with perf-ts record --node-flags');
  expect(sentence).not.toContain('--attach-js');
  const allowed = ['node', '--permission', '--allow-inspector', 'app.js'];
  expect(reported({ words: allowed })[0]).toContain('--attach-js names them');
});

test('attaching to a Node with a map but without interpreter frames is noted', () => {
  expect(reported({ words: ['node', '--perf-basic-prof', 'app.js'] })[0]).toContain(
    'interpreted functions will be missing',
  );
  expect(reported({ hasMap: true })[0]).toContain('interpreted functions will be missing');
});

test.each<[what: string, facts: Partial<ProcessFacts>]>([
  ['flags in its words', { words: ['node', ...BOTH, 'app.js'] }],
  ['flags in NODE_OPTIONS', { environment: [`NODE_OPTIONS=${BOTH.join(' ')}`] }],
  ['another program', { program: '/usr/bin/python3' }],
  ['a process that is gone', { program: null }],
])('attaching to %s gives no note', (_, facts) => {
  expect(reported(facts)).toEqual([]);
});

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
