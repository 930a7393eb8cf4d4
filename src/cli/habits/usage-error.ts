import type { Command, CommanderError } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { nearestName, nearestNames } from '../../base/nearest-names.ts';
import { printable } from '../../base/printable.ts';
import { KNOWN_ENDINGS } from '../../options/export.ts';
import { FIND_PROCESS } from '../../options/kinds.ts';
import { GuidedCommand } from '../shared/guided-command.ts';
import { COMPARED } from '../shared/reading-options.ts';
import { insteadOfHabit, insteadOfHabitualOption } from './habits.ts';
import { insteadOfCommand, insteadOfScript } from './perf-commands.ts';
import { insteadOfOption } from './perf-options.ts';

/**
 * An error of our own for what commander does not understand: what failed, then what perf-ts has
 * for it, the nearest name, or where all names are.
 */
export function usageErrorOf(error: CommanderError, program: Command, words: readonly string[]) {
  const message = error.message.replace(/^error: /, '');
  if (error.code === 'commander.unknownCommand') return unknownCommand(program, message);
  const command = program.commands.find((each) => each.name() === words[0]);
  const habit = command === undefined ? insteadOfHabit(words[0] ?? '') : null;
  if (habit !== null) return new UsageError(message, [habit]);
  if (command === undefined) {
    return new UsageError(
      message,
      words[0] === '-v' ? ['perf -v is perf-ts --version', HELP] : [HELP],
    );
  }
  if (command.name() === 'script' && error.code === 'commander.excessArguments') {
    const instead = insteadOfScript(words.slice(1));
    if (instead !== null) return new UsageError('that is a script of perf', [instead]);
  }
  const help = `perf-ts ${command.name()} --help shows the options`;
  const flag = /^unknown option '([^']*)'/.exec(message)?.[1];
  if (flag !== undefined) {
    const hint =
      insteadOfOption(command.name(), flagOf(flag)) ??
      insteadOfHabitualOption(command.name(), flagOf(flag)) ??
      didYouMean(nearestOption(command, flag));
    return new UsageError(message, hint === null ? [help] : [hint, help]);
  }
  const missing = missingHint(error.code, command, words);
  return new UsageError(message, missing === null ? [help] : [missing, help]);
}

/** Advice where a word is missing, or one is too many; null where there is none but the help. */
function missingHint(code: string, command: Command, words: readonly string[]) {
  const { registeredArguments } = command;
  const last = words.at(-1) ?? '';
  if (code === 'commander.optionMissingArgument' && /^(?:-p|--pid)$/.test(last))
    return FIND_PROCESS;
  if (code === 'commander.missingMandatoryOptionValue' && words[0] === 'export') {
    return `a file whose ending names the format: perf-ts export -o perf.html (${KNOWN_ENDINGS})`;
  }
  if (code === 'commander.missingArgument' || code === 'commander.missingMandatoryOptionValue') {
    return exampleOf(command);
  }
  const readsOne = registeredArguments.length === 1 && registeredArguments[0].name() === 'file';
  return code === 'commander.excessArguments' && readsOne ? COMPARED : null;
}

/** The first example of a command, which has what it cannot do without. */
function exampleOf(command: Command): string | null {
  if (!(command instanceof GuidedCommand)) return null;
  const [example] = command.guide.examples;
  return example === undefined ? null : `for example: ${example[0]}`;
}

const HELP = 'perf-ts --help shows the commands';
const NO_PROGRAM =
  'no program on the PATH has this name either; those of a project: perf-ts npx NAME';

function unknownCommand(program: Command, message: string): UsageError {
  const name = /'([^']*)'/.exec(message)?.[1] ?? '';
  const instead = insteadOfCommand(name);
  if (instead !== null) {
    return new UsageError(`'${name}' is a command of perf that perf-ts does not have`, [instead]);
  }
  const habit = insteadOfHabit(name);
  if (habit !== null) return new UsageError(message, [habit]);
  // No command has a dot or a slash in its name.
  if (/[./]/.test(name)) {
    return new UsageError(`${printable(name)}: there is no such file`);
  }
  const [nearest] = nearestNames(
    name,
    program.commands.map((command) => command.name()),
  );
  const hint = didYouMean(nearest) ?? NO_PROGRAM;
  return new UsageError(message, [hint, HELP]);
}

/** `--samples=3` is `--samples`. */
function flagOf(word: string): string {
  return word.startsWith('--') ? word.replace(/=.*$/s, '') : word;
}

function didYouMean(name: string | undefined): string | null {
  return name === undefined ? null : `did you mean ${name}?`;
}

/** An option that the word was meant to be: few typing errors away, or its beginning. Letters have none. */
function nearestOption(command: Command, word: string): string | undefined {
  if (!word.startsWith('--')) return undefined;
  const wanted = flagOf(word).slice(2);
  const names = command.options
    .filter(({ hidden, long }) => !hidden && long != null)
    .map(({ long }) => (long as string).slice(2));
  const found = nearestName(wanted, names);
  return found === undefined ? undefined : `--${found}`;
}
