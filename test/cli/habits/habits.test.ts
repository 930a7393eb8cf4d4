// Words of other profilers, as the tables of docs/how-to/coming-from-other-profilers.md have them: they are parsed as
// the command beside them, or answered with the line beside them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { libraryWords } from '../../../src/base/words.ts';
import { declareProgram } from '../../../src/cli/declare-program.ts';
import { usageErrorOf } from '../../../src/cli/habits/usage-error.ts';
import { projectRoot } from '../../helpers/cli.ts';
import { faultOf } from '../../helpers/known-options.ts';
import { typeLine } from '../../helpers/typed-line.ts';

const page = readFileSync(join(projectRoot, 'docs/how-to/coming-from-other-profilers.md'), 'utf8');
const [same, other] = page
  .split(/\n\| typed behind /)
  .slice(1)
  .map((table) =>
    [...table.matchAll(/^\| `([^`]+)` \| (?:`perf-ts ([^`]+)`|(.+?)) \|$/gm)].map(
      ([, typed, command, answer]) => [typed, command ?? answer] as const,
    ),
  );

test('the page has words that work and words that are answered', () => {
  expect(same.length).toBeGreaterThan(20);
  expect(other.length).toBeGreaterThan(12);
});

test.each(same)('perf-ts %s is perf-ts %s', (typed, command) => {
  const outcome = typeLine(typed.split(' '));
  expect(outcome).toMatchObject({ runs: expect.any(String), words: command.split(' ') });
});

test.each(other)('perf-ts %s is answered: %s', (typed, answer) => {
  const outcome = typeLine(typed.split(' '));
  expect('hints' in outcome && libraryWords(outcome.hints[0])).toBe(answer);
  for (const [, advised] of answer.matchAll(/perf-ts ([a-z][^;:,]*)/g)) {
    if (!/^(?:needs|no|reads)\b/.test(advised)) expect(faultOf(advised), advised).toBeNull();
  }
});

test('a script that is not there is no unknown command', () => {
  const error = new CommanderError(
    2,
    'commander.unknownCommand',
    "error: unknown command 'app.ts'",
  );
  const { message, hints } = usageErrorOf(error, declareProgram(), ['app.ts']);
  expect([message, hints]).toEqual(['app.ts: there is no such file', []]);
});
