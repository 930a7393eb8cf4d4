import { commandOnly } from '../base/words.ts';
import { OPTION_GROUP } from './groups.ts';
import { callback, type Kind, Misfit, oneOf, text, yesNo } from './kinds.ts';
import { commandOption, inGroup, nested, type OptionsOf, option, options, pick } from './option.ts';
import { INPUT, JSON_OUTPUT, READING, RECORD_SELECTION, STRICT } from './reading.ts';

const salt: Kind<string> = {
  ...text,
  read(words) {
    if (words !== '') return words;
    throw new Misfit('it is empty, and would add nothing to the hashes', [
      commandOnly('for example: --salt "$(cat /proc/sys/kernel/random/uuid)"'),
    ]);
  },
  has: (value) => text.has(value) && value !== '',
};

const CHANGES = inGroup(
  'Changes:',
  options({
    /** Kernel addresses are replaced by one marker; module maps and physical addresses go. */
    stripKernel: option(yesNo, {
      flags: '--strip-kernel',
      help: 'one marker in place of all kernel addresses',
    }),
    /** The copies of user stacks are unwound into callchains; then they and the user registers go. */
    dropStacks: option(yesNo, {
      flags: '--drop-stacks',
      help: 'without the copies of user stacks and registers',
    }),
    /** Paths, comms, host name and command line become hashes; implies `dropStacks`. */
    anonymize: option(yesNo, {
      flags: '--anonymize',
      help: 'hashes in place of paths, comms, host name, command line',
    }),
    /** Goes into the hashes of `anonymize`, so that nobody without it can try names. */
    salt: option(salt, {
      flags: '--salt <text>',
      help: 'is added to the hashes, so that trying names does not reveal them',
      needs: 'anonymize',
    }),
    /**
     * The build IDs that are there stay, `keep`; those of mapped files that can be read on this machine are added,
     * `add`, as by `perf inject -b`; or they are removed. Default `keep`.
     */
    buildIds: option(oneOf('keep', 'add', 'remove'), {
      flags: [
        {
          flags: '-b, --build-ids',
          help: 'add the build IDs of mapped files that are on this machine',
          value: 'add',
        },
        { flags: '--remove-build-ids', help: 'without build IDs', value: 'remove' },
      ],
    }),
  }),
);

/** `rewriteRecording()`. */
export const REWRITE = options({
  ...CHANGES,
  ...pick(READING, 'symfs', 'maxUnpacked'),
  /** The samples that stay. */
  select: nested(RECORD_SELECTION),
  /** Hears of the share of the input, 0 … 1, that was read; twice, where it has to be read twice. */
  onShare: option(callback<(share: number) => void>()),
});

/** How `rewriteRecording` changes a recording; without any of it, it only inflates and tidies. */
export type RewriteOptions = OptionsOf<typeof REWRITE>;
/** The build IDs of a recording that is rewritten: kept, added to, or removed. */
export type BuildIdChange = NonNullable<RewriteOptions['buildIds']>;

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
  ...CHANGES,
});
