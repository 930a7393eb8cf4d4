import { CommanderError } from 'commander';
import { UsageError } from '../../src/base/errors.ts';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { fromHabit } from '../../src/cli/habits/habits.ts';
import { fromPerfWords } from '../../src/cli/habits/perf-words.ts';
import { usageErrorOf } from '../../src/cli/habits/usage-error.ts';
import { meantWords, type Named } from '../../src/cli/run/meant-words.ts';
import { TableOption } from '../../src/cli/shared/declare-options.ts';
import { SCRIPT_FILE } from '../../src/cli/shared/script-file.ts';

/** The outcome of a line that is typed behind `perf-ts`, up to the moment at which its command would begin. */
export type Typed =
  | { readonly runs: string; readonly words: readonly string[] }
  | { readonly refused: string; readonly hints: readonly string[] };

const PROGRAMS = ['node', 'npx', 'npm', 'sleep', 'true'];

/** Files by their endings, and programs that everybody has: a reader's folder is not here. */
const namedByEnding = (word: string): Named =>
  SCRIPT_FILE.test(word) || PROGRAMS.includes(word)
    ? 'program'
    : /\.(?:data|cpuprofile|heapprofile|folded)$/.test(word)
      ? 'recording'
      : null;

/** Parses words as `perf-ts` does, values of options included, and runs nothing. */
export function typeLine(typed: readonly string[]): Typed {
  const program = declareProgram((bare) =>
    bare.exitOverride().configureOutput({ writeOut: () => {}, outputError: () => {} }),
  );
  let runs: string | null = null;
  for (const command of program.commands) {
    command.action(() => {
      const given = command.opts<Record<string, string | string[] | true | undefined>>();
      for (const option of command.options) {
        const value = given[option.attributeName()];
        if (!(option instanceof TableOption) || !(option.required || option.optional)) continue;
        if (value !== undefined) for (const each of [value].flat()) option.check(each);
      }
      runs = command.name();
    });
  }
  const words = meantWords(fromHabit(typed), program.commands, namedByEnding);
  try {
    const command = program.commands.find((each) => each.name() === words[0]);
    program.parse(fromPerfWords(words, command), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return { runs: 'help', words };
    if (error instanceof CommanderError && error.code === 'commander.help') {
      return { runs: 'help', words };
    }
    const usage =
      error instanceof CommanderError ? usageErrorOf(error, program, words) : (error as UsageError);
    if (!(usage instanceof UsageError)) throw error;
    return { refused: usage.message, hints: usage.hints.map(String) };
  }
  return { runs: runs ?? 'nothing', words };
}
