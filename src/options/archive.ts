import { OPTION_GROUP } from './groups.ts';
import { text, yesNo } from './kinds.ts';
import { inGroup, option, options, pick } from './option.ts';
import { INPUT, JSON_OUTPUT, STRICT, SYMBOLS } from './reading.ts';

/** `perf-ts archive`. */
export const ARCHIVE = options({
  ...INPUT,
  ...STRICT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    ...JSON_OUTPUT,
    /** A directory, or a tar file by its ending; default: the recording's path and `.symbols`. */
    output: option(text, {
      flags: '-o, --output <path>',
      help: 'a directory, or a .tar(.gz, .xz) file (default FILE.symbols)',
    }),
    /** Files as they are, in place of their symbols and tables. */
    full: option(yesNo, {
      flags: '--full',
      help: 'complete files instead of their symbols and tables',
    }),
    /** Leave out DWARF: names without lines and inlined calls, in a tenth of the room. */
    dwarf: option(yesNo, { flags: '--no-dwarf', help: 'without lines and inlined calls' }),
  }),
  ...pick(SYMBOLS, 'symfs', 'kallsyms', 'debugDir'),
});
