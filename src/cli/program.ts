import { Command, CommanderError } from 'commander';
import { isEscaped } from '../base/byte-text.ts';
import { UsageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-status.ts';
import { exactArguments } from '../system/launch/exact-words.ts';
import { packageVersion } from '../system/version.ts';
import { endWith, keepStdioBlocking, quit } from './command/exit.ts';
import { reportFailure } from './command/failure.ts';
import { terminalStream, writeError, writeOut } from './command/stdout.ts';
import { declareCompletion } from './completion/completion-command.ts';
import { declareMachineCommands } from './machine-commands.ts';
import { declareMeasuringCommands, MEASURING_COMMANDS } from './measuring-commands.ts';
import { fromPerfWords } from './perf/perf-words.ts';
import { acceptSameOptions } from './perf/same-options.ts';
import { declareMcp, declareQuery } from './query/query-command.ts';
import { declareReadingCommands } from './reading-commands.ts';

// Each command's code is loaded when it is run: `record` must not pay for the viewer.

/** Width of help where there is no terminal, as commander has it. */
const HELP_COLUMNS = 80;

function buildProgram(): Command {
  const program = new Command('perf-ts')
    .description('The Linux sampling profiler for people who live in Node and TypeScript.')
    .version(packageVersion())
    .enablePositionalOptions()
    .showSuggestionAfterError(false)
    .configureOutput({
      writeOut,
      writeErr: writeError,
      // Errors are printed by `main`, in the form of all others.
      outputError: () => {},
      getOutHelpWidth: () => terminalStream(1)?.columns ?? HELP_COLUMNS,
      getErrHelpWidth: () => terminalStream(2)?.columns ?? HELP_COLUMNS,
      getOutHasColors: () => terminalStream(1)?.hasColors() ?? false,
      getErrHasColors: () => terminalStream(2)?.hasColors() ?? false,
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  sudo perf-ts record -F 30000 -g -- ./app      sample a program, write perf.data
  perf-ts report                                where the events went
  perf-ts view                                  the same in the browser: flame graph, time, source
  perf-ts periods                               how the sampling period behaved, what was lost
  perf-ts diff                                  what changed since the recording before
  perf-ts export --format html -o app.html      one page with the flame graph
  perf-ts doctor                                what stands in the way here`,
    );

  declareMeasuringCommands(program);
  declareReadingCommands(program);
  declareQuery(program);
  declareMcp(program);
  declareMachineCommands(program);
  declareCompletion(program);

  program.hook('preAction', (_program, command) => checkNames(command));
  for (const command of program.commands) {
    acceptSameOptions(command);
    command.exitOverride();
  }
  return program;
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
  const program = buildProgram();
  const words = exactArguments();
  try {
    const command = program.commands.find((each) => each.name() === words[0]);
    await program.parseAsync(fromPerfWords(words, command), { from: 'user' });
  } catch (error) {
    process.exitCode = await statusOf(error, program, words);
  }
}

/** Reports what ended the command; help that was asked for has been printed. */
async function statusOf(
  error: unknown,
  program: Command,
  words: readonly string[],
): Promise<number> {
  if (!(error instanceof CommanderError)) return reportFailure(error, isVerbose());
  if (error.exitCode === 0) return EXIT.OK;
  // Help in place of an error: no command was named.
  if (error.code === 'commander.help') return EXIT.USAGE;
  const { usageErrorOf } = await import('./perf/usage-error.ts');
  return reportFailure(usageErrorOf(error, program, words), isVerbose());
}

function isVerbose(): boolean {
  return process.argv.includes('--verbose');
}

// An error in a timer or a callback of the sampler has no caller that could report it.
process.on('uncaughtException', (error) => quit(reportFailure(error, isVerbose())));
// Node's own handler opens the inspector, for whoever may connect to the port: not as root, and not
// in a recorder. perf ignores this signal as well.
process.on('SIGUSR1', () => {});
keepStdioBlocking();
endWith(main());
