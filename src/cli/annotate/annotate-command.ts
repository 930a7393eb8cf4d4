import { existsSync } from 'node:fs';
import { ANNOTATE } from '../../options/annotate.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile } from '../shared/reading-options.ts';

/** Declares `annotate`. Its code is loaded when it is run. */
export function declareAnnotate(program: GuidedCommand): void {
  program
    .command('annotate')
    .description('source lines and machine code of functions, each with its weight')
    .argument(
      '[symbol...]',
      'functions, or the recording (default the three functions with most weight)',
    )
    .examples([
      ['perf-ts annotate', 'the three functions with most weight'],
      ['perf-ts annotate main', 'one function, of perf.data'],
      ['perf-ts annotate -i app.data -s work', 'of another recording'],
      ['perf-ts view', 'the same in the browser: the tab Source'],
    ])
    .asks(ANNOTATE, async (options, words: string[]) => {
      // perf takes symbols here, and all other commands of ours the recording.
      const isFile = options.input === undefined && words.length > 0 && existsSync(words[0]);
      const file = isFile ? words[0] : undefined;
      const symbols = [...(options.symbol ?? []), ...words.slice(isFile ? 1 : 0)];
      const { runAnnotate } = await import('./annotate.ts');
      const { symbol: _, ...flags } = options;
      await runAnnotate(inputFile(file, options), symbols, flags);
    });
}
