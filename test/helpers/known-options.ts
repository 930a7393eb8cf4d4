import type { Command } from 'commander';
import { declareProgram } from '../../src/cli/declare-program.ts';
import { meantWords, type Named } from '../../src/cli/run/meant-words.ts';
import { SCRIPT_FILE } from '../../src/cli/shared/script-file.ts';

const program: Command = declareProgram();

/** Files of a reader by their endings, as they are not here, and what starts scripts. */
const namedByEnding = (word: string): Named =>
  SCRIPT_FILE.test(word) || /^(?:node|npx)$/.test(word)
    ? 'program'
    : word.endsWith('.data')
      ? 'recording'
      : null;

/** The mistake in `words`, which stand behind `perf-ts`; null: nothing. */
export function faultOf(words: string): string | null {
  // The recorded command, a pipe and what follows it are not ours.
  const ours = words.split(/ (?:-- |[|>]|&& )/)[0].replace(/'[^']*'|"[^"]*"/g, 'TEXT');
  const [name, ...rest] = ours.trim().split(/\s+/);
  if (name === 'help' && rest.length > 0) return faultOf(rest.join(' '));
  if (name.startsWith('-') || /^[A-Z…]/.test(name)) return null;
  // Words behind a program are its own.
  if (namedByEnding(name) === 'program') return null;
  const [meant] = meantWords([name, ...rest], program.commands, namedByEnding);
  const command = program.commands.find((one) => one.name() === meant);
  if (command === undefined) return `there is no command ${name}`;
  const known = new Set([...command.options, ...program.options].flatMap(flagsOf));
  const unknown = rest
    .filter((word) => /^--?[a-zA-Z]/.test(word))
    .find((word) => {
      const [flag] = word.split('=');
      return !known.has(flag) && !known.has(flag.slice(0, 2));
    });
  return unknown === undefined ? null : `${name} has no option ${unknown}`;
}

function flagsOf({ short, long }: Command['options'][number]): string[] {
  return ['-h', '--help', short, long].filter((flag) => flag !== undefined);
}
