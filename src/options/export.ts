import { OPTION_GROUP } from './groups.ts';
import { oneOf, text, yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';
import {
  INPUT,
  JAVASCRIPT,
  JSON_OUTPUT,
  RECORD_SELECTION,
  SELECTION,
  STRICT,
  SYMBOLS,
  WEIGHING,
} from './reading.ts';

/** `perf-ts export`. */
export const EXPORT = options({
  ...INPUT,
  ...STRICT,
  json: JSON_OUTPUT.json.with({ help: 'what the weights are, as JSON on standard error' }),
  ...RECORD_SELECTION,
  ...SELECTION,
  ...SYMBOLS,
  ...JAVASCRIPT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    format: commandOption(
      oneOf('folded', 'speedscope', 'html', 'pprof', 'firefox', 'cpuprofile', 'parquet'),
      { flags: '--format <format>', help: 'what to write', mandatory: true },
    ),
    output: commandOption(text, {
      flags: '-o, --output <file>',
      help: 'where to write; - is standard output; parquet: a folder',
      mandatory: true,
    }),
    service: commandOption(text, {
      flags: '--service <name>',
      help: 'parquet: the service that was recorded',
    }),
    build: commandOption(text, {
      flags: '--build <name>',
      help: 'parquet: the version that was recorded',
    }),
  }),
  ...WEIGHING,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    title: commandOption(text, {
      flags: '--title <text>',
      help: 'title of the page (default the command that was recorded)',
    }),
    sources: commandOption(yesNo, {
      flags: '--no-sources',
      help: 'html: without the texts of the source files with most samples',
    }),
    names: commandOption(oneOf('full', 'tidy'), {
      flags: '--names <how>',
      help: 'names in folded lines: complete, or cut at parameters as stackcollapse-perf.pl does',
      default: 'full',
    }),
  }),
});
