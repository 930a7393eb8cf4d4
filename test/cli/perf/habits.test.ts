// Words of other profilers, as the tables of docs/how-to/coming-from-other-profilers.md have them: they are parsed as
// the command beside them, or answered with the line beside them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { libraryWords } from '../../../src/base/words.ts';
import { declareProgram } from '../../../src/cli/declare-program.ts';
import { fromHabit } from '../../../src/cli/perf/habits.ts';
import { usageErrorOf } from '../../../src/cli/perf/usage-error.ts';
import { projectRoot } from '../../helpers/cli.ts';
import { faultOf } from '../../helpers/known-options.ts';

const page = readFileSync(join(projectRoot, 'docs/how-to/coming-from-other-profilers.md'), 'utf8');
const [same, other] = page
  .split(/\n\| typed behind /)
  .slice(1)
  .map((table) =>
    [...table.matchAll(/^\| `([^`]+)` \| (?:`perf-ts ([^`]+)`|(.+?)) \|$/gm)].map(
      ([, typed, command, answer]) => [typed, command ?? answer] as const,
    ),
  );

const ownWords = (words: readonly string[]): readonly string[] => {
  const end = words.indexOf('--');
  return end < 0 ? words : words.slice(0, end);
};

/** Whether the words are a command with options that it has. */
function fault(line: readonly string[]): string | null {
  const [name, ...words] = line;
  const command = declareProgram().commands.find((each) => each.name() === name);
  if (command === undefined) return name === 'help' ? null : `no command ${name}`;
  const { unknown } = command.exitOverride().parseOptions([...ownWords(words)]);
  return unknown.length === 0 ? null : `unknown option '${unknown[0]}'`;
}

test('the page has words that work and words that are answered', () => {
  expect(same.length).toBeGreaterThan(20);
  expect(other.length).toBeGreaterThan(12);
});

test.each(same)('perf-ts %s is perf-ts %s', (typed, command) => {
  const words = fromHabit(typed.split(' '));
  expect(words.join(' ')).toBe(command);
  expect(fault(words)).toBeNull();
});

test.each(other)('perf-ts %s is answered: %s', (typed, answer) => {
  const words = fromHabit(typed.split(' '));
  const wrong = fault(words) ?? 'nothing';
  const isCommand = wrong.startsWith('no command') && !words[0].startsWith('-');
  const error = new CommanderError(
    2,
    isCommand ? 'commander.unknownCommand' : 'commander.unknownOption',
    isCommand ? `error: unknown command '${words[0]}'` : `error: ${wrong}`,
  );
  const { hints } = usageErrorOf(error, declareProgram(), words);
  expect(hints.map(libraryWords)[0]).toBe(answer);
  for (const [, advised] of answer.matchAll(/perf-ts ([a-z][^;:,]*)/g)) {
    if (!/^(?:needs|no)\b/.test(advised)) expect(faultOf(advised), advised).toBeNull();
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
