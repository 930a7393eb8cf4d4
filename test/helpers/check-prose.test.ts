import { expect, it } from 'vitest';
import { findHeadless, findRiddles } from '../check-prose.mjs';

it('the check of prose finds docstrings that begin without a subject', () => {
  const text = [
    '/** Where the records begin. */',
    '/**',
    ' * Of a thread',
    ' * that has ended.',
    ' */',
    '/** Those of the threads that run. */',
    '/** Offset of the first record. */',
    '/** In-place sums of each column. */',
    '/** Whether a thread has ended. */',
    '// In a comment of the code, a sentence may begin as it likes.',
  ];
  expect(findHeadless(text.join('\n'))).toEqual([
    { line: 1, words: 'Where the records begin.' },
    { line: 2, words: 'Of a thread that has ended.' },
    { line: 6, words: 'Those of the threads that run.' },
  ]);
});

it('the check of prose finds titles that begin with a verb or a preposition', () => {
  const riddles = [
    `it('keeps what it has', () => {});`,
    `  it.each([1, 2])('with %i rows', () => {});`,
    `itAsRoot("is not there", () => {});`,
    'TEST("reports its end") {',
  ];
  const others = [
    `it('a ring keeps what it has', () => {});`,
    `it('names of strangers are texts', () => {});`,
    'split("in words")',
  ];
  expect(findRiddles([...riddles, ...others].join('\n')).map(({ line }) => line)).toEqual([
    1, 2, 3, 4,
  ]);
});
