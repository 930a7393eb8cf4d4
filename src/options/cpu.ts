import { OPTION_GROUP } from './groups.ts';
import { oneOf, text, yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';

/** `perf-ts cpu`. */
export const CPU = options({
  ...inGroup('CPU:', {
    explain: commandOption(text, {
      flags: '--explain <register>',
      help: 'every bit of an event select, in hex: 0x004300c0',
    }),
    vendor: commandOption(oneOf('intel', 'amd', 'arm'), {
      flags: '--vendor <vendor>',
      help: 'explain: whose event select (default this machine)',
    }),
    leaves: commandOption(text, {
      flags: '--leaves <file>',
      help: 'of another machine: the output of cpuid -r there',
    }),
  }),
  ...inGroup(OPTION_GROUP.OUTPUT, {
    json: commandOption(yesNo, { flags: '--json', help: 'as one JSON document' }),
  }),
});
