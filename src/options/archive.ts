import { OPTION_GROUP } from './groups.ts';
import { text, yesNo } from './kinds.ts';
import { commandOption, inGroup, options, pick } from './option.ts';
import { INPUT, JSON_OUTPUT, STRICT, SYMBOLS } from './reading.ts';

/** `perf-ts archive`. */
export const ARCHIVE = options({
  ...INPUT,
  ...STRICT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    ...JSON_OUTPUT,
    output: commandOption(text, {
      flags: '-o, --output <path>',
      help: 'a directory, or a .tar(.gz, .xz) file (default FILE.symbols)',
    }),
    full: commandOption(yesNo, {
      flags: '--full',
      help: 'complete files instead of their symbols and tables',
    }),
    dwarf: commandOption(yesNo, { flags: '--no-dwarf', help: 'without lines and inlined calls' }),
  }),
  ...pick(SYMBOLS, 'symfs', 'kallsyms', 'debugDir'),
});
