import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import {
  collect,
  debuginfodOption,
  eventOption,
  inputFile,
  weightOption,
  withRecordSelection,
  withStrict,
  withSymbols,
} from '../shared/reading-options.ts';

/** Declares `annotate`. Its code is loaded when it is run. */
export function declareAnnotate(program: GuidedCommand): void {
  withStrict(withRecordSelection(withSymbols(program.command('annotate'))))
    .description('source lines and machine code of functions, each with its weight')
    .argument(
      '[symbol...]',
      'functions, or the recording (default the three functions with most weight)',
    )
    .option('-i, --input <file>', 'the recording; - is standard input (default perf.data)')
    .optionsGroup('Code:')
    .option('-s, --symbol <name>', 'this function; may repeat', collect)
    .option(
      '-n, --limit [functions]',
      'how many functions, where none is named; 0: all (default 3)',
    )
    .addOption(new Option('--rows <n>').hideHelp())
    .option('--percent-limit <share>', 'leave out functions below this per cent (default 0)')
    .addOption(weightOption())
    .addOption(debuginfodOption())
    .addOption(eventOption())
    .optionsGroup(OPTION_GROUP.SAMPLES)
    .option('-d, --dso <names>', 'samples in these files')
    .addOption(new Option('--dsos <names>').hideHelp())
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--json', 'as JSON')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-q, --quiet', 'the code only: no lines with #, no messages')
    .examples([
      ['perf-ts annotate', 'the three functions with most weight'],
      ['perf-ts annotate main', 'one function, of perf.data'],
      ['perf-ts annotate -i app.data -s work', 'of another recording'],
      ['perf-ts view', 'the same in the browser: the tab Source'],
    ])
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
