import { oneOf, text } from '../../options/kinds.ts';
import { commandOption, inGroup, options } from '../../options/option.ts';
import { JSON_OUTPUT } from '../../options/reading.ts';

/** The options of `perf-ts cpu`. */
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
  ...JSON_OUTPUT,
});
