// Lines that people type behind \`perf-ts\` from habit, without having read anything: each runs, or is answered by a line
// that says what to type. Right of each line: the words that it stands for; behind \`!\` the answer; behind \`?\` a part of
// the answer that its command gives, which test/cli/habits/habit-answers.test.ts runs.

import { describe, expect, test } from 'vitest';
import { libraryWords } from '../../../src/base/words.ts';
import { faultOf } from '../../helpers/known-options.ts';
import { typeLine } from '../../helpers/typed-line.ts';
import { NEWCOMER, OTHER_TOOLS, STRANGERS, TROUBLES } from './habit-table.ts';

describe.each([
  ['a newcomer', NEWCOMER],
  ['users of other profilers', OTHER_TOOLS],
  ['users of tracers, benchmarks and Node', STRANGERS],
  ['people new to profilers', TROUBLES],
])('lines that %s types', (_who, lines) => {
  test.each(lines)('perf-ts %s is %s', (line, expected) => {
    const typed = typeLine(line.split(' '));
    if (!expected.startsWith('! ')) {
      expect(typed).toMatchObject({
        runs: expect.any(String),
        ...(!expected.startsWith('? ') && { words: expected.split(' ') }),
      });
      return;
    }
    expect(typed).not.toHaveProperty('runs');
    const hints = 'hints' in typed ? typed.hints.map(libraryWords) : [];
    expect(hints[0]).toBe(expected.slice(2));
  });

  test('no line is answered by where the help is alone', () => {
    for (const [line] of lines) {
      const typed = typeLine(line.split(' '));
      if ('runs' in typed) continue;
      expect([line, typed.hints[0] ?? '']).not.toEqual([
        line,
        expect.stringMatching(/^$|--help shows/),
      ]);
    }
  });

  test('each command that an answer names is one', () => {
    for (const [, answer] of lines) {
      if (!answer.startsWith('! ')) continue;
      for (const [, advised] of answer.matchAll(/perf-ts ([a-z][^;:,()]*)/g)) {
        if (/^(?:needs|reads)\b/.test(advised)) continue;
        expect([advised, faultOf(advised.trim())]).toEqual([advised, null]);
      }
    }
  });
});

test('lines of a newcomer run in at least 60 of 81 cases', () => {
  expect(NEWCOMER).toHaveLength(81);
  const runs = NEWCOMER.filter(([, expected]) => !/^[!?] /.test(expected));
  expect(runs.length).toBeGreaterThanOrEqual(60);
});
