import { type Command, CommanderError } from 'commander';
import { isEscaped } from '../base/byte-text.ts';
import { errorText, UsageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-status.ts';
import { GENERAL } from '../options/general.ts';
import { readFlags } from '../options/read-flags.ts';
import { exactArguments } from '../system/launch/exact-words.ts';
import { declareProgram } from './declare-program.ts';
import { applyDefaults } from './defaults/apply-defaults.ts';
import { fromHabit } from './habits/habits.ts';
import { fromPerfWords } from './habits/perf-words.ts';
import { meantWords } from './run/meant-words.ts';
import { endWith, keepStdioBlocking, quit } from './shared/exit.ts';
import { notify, reportFailure } from './shared/failure.ts';
import { HELP_COLUMNS } from './shared/guided-command.ts';
import { MEASURING_COMMANDS } from './shared/measuring-command.ts';
import { type AppliedDefault, beginRun } from './shared/run.ts';
import { terminalStream, writeError, writeText } from './shared/stdout.ts';
import { startThreadEarly } from './view/early-thread.ts';

const run = beginRun();

function buildProgram(): Command {
  const program = declareProgram((bare) =>
    bare
      .configureOutput({
        writeOut: writeText,
        writeErr: writeError,
        // Errors are printed by `main`, in the form of all others.
        outputError: () => {},
        getOutHelpWidth: () => columnsOf(1),
        getErrHelpWidth: () => columnsOf(2),
        getOutHasColors: () => terminalStream(1)?.hasColors() ?? false,
        getErrHasColors: () => terminalStream(2)?.hasColors() ?? false,
      })
      .exitOverride(),
  );
  program.hook('preAction', (_program, command) => {
    prepare(command);
    checkNames(command);
  });
  return program;
}

/** Before a command runs: the user's defaults, and what was made of them. */
function prepare(command: Command): void {
  const { applied, notices } = applyDefaults(command);
  run.defaults = applied;
  const { verbose, quiet } = readFlags(GENERAL, command.opts());
  run.isVerbose = verbose === true;
  if (quiet) return;
  for (const notice of notices) notify(`perf-ts: ${notice}`);
  if (verbose) for (const each of applied) notify(`perf-ts: ${wordsOf(each)}`);
}

function wordsOf({ words, from }: AppliedDefault): string {
  return `${words} comes from ${from}`;
}

/** Columns of a terminal; elsewhere those that the environment names. */
function columnsOf(fd: 1 | 2): number {
  return terminalStream(fd)?.columns ?? (Number(process.env.COLUMNS) || HELP_COLUMNS);
}

/** Only the command that is profiled may have words that are not UTF-8. */
function checkNames(command: Command): void {
  const takesCommand = MEASURING_COMMANDS.includes(command.name());
  const words = [...Object.values(command.opts()), ...(takesCommand ? [] : command.args)].flat();
  for (const word of words) {
    if (typeof word !== 'string' || !isEscaped(word)) continue;
    throw new UsageError(`${word}: this name is not UTF-8, and perf-ts can't open it`, [
      'rename it, or make a link to it whose name is UTF-8',
    ]);
  }
}

async function main(): Promise<void> {
  const typed = fromHabit(exactArguments());
  const isView = typed[0] === 'view';
  // Before the commands are declared, which takes as long as the thread needs to begin.
  if (isView) startThreadEarly();
  const program = buildProgram();
  let words = meantWords(typed, program.commands);
  if (words[0] === 'view' && !isView) startThreadEarly();
  try {
    if (words[0] === 'help' && words.length > 1) {
      const { helpOn } = await import('./run/help-on.ts');
      const help = helpOn(words[1], program, columnsOf(1));
      if ('text' in help) return writeText(help.text);
      words = ['help', help.command];
    }
    const command = program.commands.find((each) => each.name() === words[0]);
    await program.parseAsync(fromPerfWords(words, command).map(asOperand), { from: 'user' });
  } catch (error) {
    process.exitCode = await statusOf(error, program, words);
  }
}

/** SQL that begins with a comment is no option: no name of one begins with a space. */
function asOperand(word: string): string {
  return /^--\s/.test(word) ? `\n${word}` : word;
}

/** Reports what ended the command; help that was asked for has been printed. */
async function statusOf(
  error: unknown,
  program: Command,
  words: readonly string[],
): Promise<number> {
  if (error instanceof UsageError && run.defaults.length > 0) {
    // A value that nobody has typed now may be what is wrong.
    const { message, hints } = errorText(error);
    return reportFailure(new UsageError(message, [...hints, ...run.defaults.map(wordsOf)]));
  }
  if (!(error instanceof CommanderError)) return reportFailure(error);
  if (error.exitCode === 0) return EXIT.OK;
  // Help in place of an error: no command was named.
  if (error.code === 'commander.help') return EXIT.USAGE;
  const { usageErrorOf } = await import('./habits/usage-error.ts');
  return reportFailure(usageErrorOf(error, program, words));
}

// An error in a timer or a callback of the sampler has no caller that could report it.
process.on('uncaughtException', (error) => quit(reportFailure(error)));
// Node's own handler opens the inspector, for whoever may connect to the port: not as root, and not
// in a recorder. perf ignores this signal as well.
process.on('SIGUSR1', () => {});
keepStdioBlocking();
endWith(main());
