import { OPTION_GROUP } from '../../options/groups.ts';
import { yesNo } from '../../options/kinds.ts';
import { commandOption, inGroup, options } from '../../options/option.ts';
import { INPUT, JSON_OUTPUT, STRICT } from '../../options/reading.ts';

/** `perf-ts evlist`. */
export const EVLIST = options({
  ...INPUT,
  ...STRICT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    ...JSON_OUTPUT,
    freq: commandOption(yesNo, { flags: '-F, --freq', help: 'their rates, too' }),
    group: commandOption(yesNo, { flags: '-g, --group', help: 'events of a group in braces' }),
    traceFields: commandOption(yesNo, { flags: '--trace-fields' }),
  }),
});

/** `perf-ts buildid-list`. */
export const BUILD_ID_LIST = options({
  ...INPUT,
  ...STRICT,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    ...JSON_OUTPUT,
    withHits: commandOption(yesNo, {
      flags: '-H, --with-hits',
      help: 'files in which samples were taken, only',
    }),
    kernel: commandOption(yesNo, {
      flags: '-k, --kernel',
      help: 'of the running kernel, in place of a recording',
    }),
  }),
});
