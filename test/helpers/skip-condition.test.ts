import { expect, test } from 'vitest';
import { skipCondition } from './skip-condition.ts';

const SOURCE = `
const isRoot = process.getuid?.() === 0;
const itAsRoot = it.skipIf(!isRoot);
describe.skipIf(!hasCorpora)('a', () => {});
  it.skipIf(findPerf() === null).each([1])('%s', () => {});
itAsRoot('b', () => {});
test.runIf(process.arch === 'arm64')('c', () => {});
it
  .skipIf(!sources.isReadable())('d', () => {});
describeElsewhere('e', () => {
  const lines = ['the group is longer than the first words of a call, and what it skips inside',
    'is no reason for the group'];
  it.skipIf(lines.length > 2)('f', () => {});
});
`;

test.each([
  [4, 'the corpora are absent (PERF_TS_CORPORA)'],
  [5, 'perf is not installed'],
  [6, 'root only'],
  [7, "where not (process.arch === 'arm64')"],
  [8, 'where !sources.isReadable()'],
  [10, 'skipped by describeElsewhere'],
])('a test in line %i is skipped because of the condition there: %s', (line, reason) => {
  expect(skipCondition(SOURCE, line)).toBe(reason);
});
