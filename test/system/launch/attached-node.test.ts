import { expect, test } from 'vitest';
import {
  explainAttachedNode,
  type ProcessFacts,
} from '../../../src/system/launch/attached-node.ts';

const BOTH = ['--perf-basic-prof', '--interpreted-frames-native-stack'];

function reported(facts: Partial<ProcessFacts>): string[] {
  const node = {
    program: '/usr/bin/node',
    words: ['node', 'app.js'],
    nodeOptions: '',
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

test('attaching to a Node with a map but without interpreter frames is noted', () => {
  expect(reported({ words: ['node', '--perf-basic-prof', 'app.js'] })[0]).toContain(
    'interpreted functions will be missing',
  );
  expect(reported({ hasMap: true })[0]).toContain('interpreted functions will be missing');
});

test.each<[what: string, facts: Partial<ProcessFacts>]>([
  ['flags in its words', { words: ['node', ...BOTH, 'app.js'] }],
  ['flags in NODE_OPTIONS', { nodeOptions: BOTH.join(' ') }],
  ['another program', { program: '/usr/bin/python3' }],
  ['a process that is gone', { program: null }],
])('attaching to %s gives no note', (_, facts) => {
  expect(reported(facts)).toEqual([]);
});
