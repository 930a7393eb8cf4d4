#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { isEscaped } from '../base/byte-text.ts';
import { UsageError } from '../base/errors.ts';
import { EXIT } from '../base/exit-status.ts';
import { exactArguments } from '../system/launch/exact-words.ts';
import { captureStartState } from '../system/launch/start-state.ts';
import { packageVersion } from '../system/version.ts';
import {
  exitWithoutShutdown,
  keepStdioBlocking,
  leaveStdioToCommand,
  quit,
} from './command/exit.ts';
import { reportFailure } from './command/failure.ts';
import { collect } from './command/reading-options.ts';
import { terminalStream, writeError, writeOut } from './command/stdout.ts';
import { declareReadingCommands } from './reading-commands.ts';
import { declareRecordOptions } from './record/record-command.ts';
import { declareStatOptions } from './stat/stat-command.ts';
import { declareTopOptions } from './top/top-command.ts';

// Each command's code is loaded when it is run: `record` must not pay for the viewer.

/** Width of help where there is no terminal, as commander has it. */
const HELP_COLUMNS = 80;

function buildProgram(): Command {
  const program = new Command('perf-ts')
    .description('The Linux sampling profiler for people who live in Node and TypeScript.')
    .version(packageVersion())
    .enablePositionalOptions()
    .showHelpAfterError('  perf-ts --help shows the commands')
    .configureOutput({
      writeOut,
      writeErr: writeError,
      outputError: (text, write) => write(inHouseForm(text)),
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

  declareRecordOptions(
    program
      .command('record')
      .description('run or attach, sample, write perf.data')
      .argument('[command...]', 'the program to run and its arguments')
      .passThroughOptions(),
  ).action(async (command: string[], options) => {
    prepareFor(command);
    const { runRecord } = await import('./record/record.ts');
    await runRecord(command, options);
  });

  declareStatOptions(
    program
      .command('stat')
      .description('count events of a command, of what runs, or of the whole system')
      .argument('[command...]', 'the program to run and its arguments')
      .passThroughOptions(),
  ).action(async (command: string[], options) => {
    prepareFor(command);
    const { runStat } = await import('./stat/stat.ts');
    await runStat(command, options);
  });

  declareTopOptions(
    program
      .command('top')
      .description('live profile of running code')
      .argument('[command...]', 'the program to run and its arguments')
      .passThroughOptions(),
  ).action(async (command: string[], options) => {
    prepareFor(command);
    const { runTop } = await import('./top/top.ts');
    await runTop(command, options);
  });

  declareReadingCommands(program);

  program
    .command('list')
    .description('events, and whether each one opens here')
    .argument('[glob]', 'only names that match')
    .option('--json', 'as one JSON document')
    .option('--try-each', 'try every tracepoint, not one of each kind (takes long)')
    .option('-v, --verbose', 'other names of the same event, what each source alone knows')
    .action(async (glob: string | undefined, options) => {
      const { runList } = await import('./list.ts');
      await runList(glob, options);
    });

  program
    .command('cpu')
    .description('hardware events that this CPU supports')
    .option('--explain <register>', 'every bit of an event select, in hex: 0x004300c0')
    .addOption(
      new Option(
        '--vendor <vendor>',
        'explain: whose event select (default: of this machine)',
      ).choices(['intel', 'amd', 'arm']),
    )
    .option('--leaves <file>', 'of another machine: the output of cpuid -r there')
    .option('--json', 'as one JSON document')
    .action(async (options) => {
      const { runCpu } = await import('./cpu.ts');
      await runCpu(options);
    });

  program
    .command('doctor')
    .description('problems that prevent recording here, and the fix for each')
    .argument('[binary]', 'a program or library: whether stacks through it will be whole')
    .option('--selftest', 'record a workload of our own and check what is claimed of the kernel')
    .option('-e, --event <list>', 'selftest: this event only; may repeat', collect)
    .option('--quick', 'selftest: a third of the recordings')
    .option('-o, --output <file>', 'selftest: the report as JSON, to be sent on')
    .option('--json', 'as one JSON document')
    .option('-v, --verbose', 'selftest: every number')
    .action(async (binary, options) => {
      const { runDoctor } = await import('./doctor.ts');
      await runDoctor(options, binary);
    });

  program.hook('preAction', (_program, command) => checkNames(command));
  for (const command of program.commands) {
    command.showHelpAfterError(`  perf-ts ${command.name()} --help shows the options`);
  }
  return program;
}

/** Only the command that is profiled may have words that are not UTF-8. */
function checkNames(command: Command): void {
  const takesCommand = ['record', 'stat', 'top'].includes(command.name());
  const words = [...Object.values(command.opts()), ...(takesCommand ? [] : command.args)].flat();
  for (const word of words) {
    if (typeof word !== 'string' || !isEscaped(word)) continue;
    throw new UsageError(`${word}: this name is not UTF-8, and perf-ts can't open it`, [
      'rename it, or make a link to it whose name is UTF-8',
    ]);
  }
}

/** Before anything is opened: what a command is to inherit is only known now. */
function prepareFor(command: readonly string[]): void {
  if (command.length === 0) return;
  captureStartState();
  leaveStdioToCommand();
}

/** What commander says of a command line, as all other errors are said. */
function inHouseForm(text: string): string {
  return text
    .replace(/^error: /, 'perf-ts: ')
    .replace(/^\(Did you mean (.*)\?\)$/m, '  did you mean $1?');
}

async function main(): Promise<void> {
  try {
    const program = buildProgram();
    for (const command of program.commands) command.exitOverride();
    await program.parseAsync(exactArguments(), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? EXIT.OK : EXIT.USAGE;
      return;
    }
    process.exitCode = reportFailure(error, isVerbose());
  }
}

function isVerbose(): boolean {
  return process.argv.includes('--verbose');
}

// What a timer or a callback of the sampler runs into has no caller that could report it.
process.on('uncaughtException', (error) => quit(reportFailure(error, isVerbose())));
// Node's own handler opens the inspector, for whoever may connect to the port: not as root, and not
// in a recorder. perf ignores this signal as well.
process.on('SIGUSR1', () => {});
keepStdioBlocking();
await main();
exitWithoutShutdown();
