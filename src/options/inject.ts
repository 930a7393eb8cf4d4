import { OPTION_GROUP } from './groups.ts';
import { text, yesNo } from './kinds.ts';
import { commandOption, inGroup, options } from './option.ts';
import { INPUT, JSON_OUTPUT, RECORD_SELECTION, STRICT } from './reading.ts';

/** `perf-ts inject`. */
export const INJECT = options({
  ...INPUT,
  ...STRICT,
  json: JSON_OUTPUT.json.with({ help: 'the closing summary as JSON on standard error' }),
  ...RECORD_SELECTION,
  ...inGroup(OPTION_GROUP.OUTPUT, {
    output: commandOption(text, {
      flags: '-o, --output <file>',
      help: 'where to write; - is standard output, as a pipe',
      mandatory: true,
    }),
  }),
  ...inGroup('Changes:', {
    stripKernel: commandOption(yesNo, {
      flags: '--strip-kernel',
      help: 'one marker in place of all kernel addresses',
    }),
    dropStacks: commandOption(yesNo, {
      flags: '--drop-stacks',
      help: 'without the copies of user stacks and registers',
    }),
    anonymize: commandOption(yesNo, {
      flags: '--anonymize',
      help: 'hashes in place of paths, comms, host name, command line',
    }),
    salt: commandOption(text, {
      flags: '--salt <text>',
      help: 'is added to the hashes, so that trying names does not reveal them',
    }),
    buildIds: commandOption(yesNo, {
      flags: '-b, --build-ids',
      help: 'add the build IDs of mapped files that are on this machine',
    }),
    removeBuildIds: commandOption(yesNo, {
      flags: '--remove-build-ids',
      help: 'without build IDs',
    }),
  }),
});
