import { existsSync } from 'node:fs';
import { type Command, Option } from 'commander';
import {
  collect,
  debuginfodOption,
  inputFile,
  weightOption,
  withRecordSelection,
  withSymbols,
} from '../command/reading-options.ts';

/** Declares `annotate`. Its code is loaded when it is run. */
export function declareAnnotate(program: Command): void {
  withRecordSelection(withSymbols(program.command('annotate')))
    .description('source lines and machine code of functions, each with its weight')
    .argument('[symbol...]', 'functions (default: the three with most weight); or the recording')
    .option('-i, --input <file>', 'the recording (default perf.data); - is standard input')
    .option('-s, --symbol <name>', 'this function; may repeat', collect)
    .option('-d, --dso <names>', 'samples in these files')
    .option('-e, --event <name>', 'this event only')
    .option(
      '-n, --limit [functions]',
      'how many functions, where none is named (default 3, 0: all)',
    )
    .addOption(new Option('--rows <n>').hideHelp())
    .option('--percent-limit <share>', 'leave out functions below this per cent')
    .addOption(weightOption())
    .addOption(debuginfodOption())
    .option('--json', 'as JSON')
    .option('--strict', 'fail on a file that was cut short')
    .option('-q, --quiet', 'the code only: no lines with #, no messages')
    .option('-v, --verbose', 'more about what was found')
    .addHelpText(
      'after',
      `
Examples:
  perf-ts annotate                      the three functions with most weight
  perf-ts annotate main                 one function, of perf.data
  perf-ts annotate -i app.data -s work  of another recording
  perf-ts view                          the same in the browser: the tab Source`,
    )
    .action(async (words: string[], options) => {
      // perf takes symbols here, and all other commands of ours the recording.
      const isFile = options.input === undefined && words.length > 0 && existsSync(words[0]);
      const file = isFile ? words[0] : undefined;
      const symbols = [...(options.symbol ?? []), ...words.slice(isFile ? 1 : 0)];
      const { runAnnotate } = await import('./annotate.ts');
      const { symbol: _, ...flags } = options;
      await runAnnotate(inputFile(file, options), symbols, flags);
    });
}
