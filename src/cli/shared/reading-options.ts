import { Option } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { OPTION_GROUP } from '../../options/groups.ts';
import { FRAME_LEVELS } from '../../profile/frame-level.ts';
import { MAX_UNPACKED_VARIABLE } from '../../read/files/most-unpacked.ts';
import type { GuidedCommand } from './guided-command.ts';
import { byteSize } from './option-values.ts';

// Options that several commands have which read a recording.

const WEIGHTS = ['samples', 'period', 'events', 'time'];

/** The recording that a command reads. Throws `UsageError` where two are named. */
export function inputFile(argument: string | undefined, { input }: { input?: string }): string {
  if (argument !== undefined && input !== undefined && argument !== input) {
    throw new UsageError(`-i ${input} and ${argument}: this command reads one recording`, [
      'two are compared by perf-ts diff OLD NEW',
    ]);
  }
  return argument ?? input ?? 'perf.data';
}

/** The options that every command with a recording as input shares. */
export function withInput(
  command: GuidedCommand,
  description: string,
  json = 'as JSON',
): GuidedCommand {
  command
    .description(description)
    .argument('[file]', 'the recording; - is standard input (default perf.data)')
    .optionsGroup(OPTION_GROUP.INPUT)
    .option('-i, --input <file>', 'the recording, as in perf (default perf.data)');
  return withStrict(command).optionsGroup(OPTION_GROUP.OUTPUT).option('--json', json);
}

/** How a recording is read, and what is reported of that. */
export function withStrict(command: GuidedCommand): GuidedCommand {
  return command
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-v, --verbose', 'more about what was found')
    .optionsGroup(OPTION_GROUP.INPUT)
    .option('--strict', 'fail on a file that was cut short')
    .option(
      '--max-unpacked <size>',
      'memory for a recording that unpacks to more than its size explains: 4G, none (default such a recording is refused)',
    )
    .hook('preAction', (called) => {
      const { maxUnpacked } = called.opts<{ maxUnpacked?: string }>();
      if (maxUnpacked === undefined) return;
      const most = maxUnpacked === 'none' ? Number.POSITIVE_INFINITY : null;
      process.env[MAX_UNPACKED_VARIABLE] = String(most ?? byteSize('--max-unpacked', maxUnpacked));
    });
}

/** The options that choose among the samples of a recording. */
export function withSelection(command: GuidedCommand): GuidedCommand {
  return withRecordSelection(command)
    .option('-d, --dso <names>', 'samples in these files')
    .option('-S, --symbol <names>', 'samples in these functions')
    .addOption(new Option('--comms <names>').hideHelp())
    .addOption(new Option('--dsos <names>').hideHelp())
    .addOption(new Option('--symbols <names>').hideHelp());
}

/** Those of them that need no names of frames. */
export function withRecordSelection(command: GuidedCommand): GuidedCommand {
  return command
    .optionsGroup(OPTION_GROUP.SAMPLES)
    .option('--time <ranges>', 'samples of this time: START,STOP in seconds, 10%-20%, 10%/2')
    .option('-C, --cpu <cpus>', 'samples of these CPUs (0-3,8)')
    .option('--pid <pids>', 'samples of these processes')
    .option('--tid <tids>', 'samples of these threads')
    .option('-c, --comm <names>', 'samples of threads with these names');
}

/** Where names come from, for a recording of another machine. */
export function withSymbols(command: GuidedCommand): GuidedCommand {
  return command
    .optionsGroup(OPTION_GROUP.NAMES)
    .option('--symfs <dir>', "the recorded machine's files are below this directory")
    .option('--kallsyms <file>', "the recorded machine's list of kernel symbols, or its vmlinux")
    .addOption(new Option('-k, --vmlinux <file>').hideHelp())
    .option('--debug-dir <dir>', 'debug files are below this directory, as in /usr/lib/debug')
    .option('--archive <dir>', 'the output of perf-ts archive (default FILE.symbols)')
    .option('--no-inline', 'without the calls that the compiler inlined');
}

/** How JavaScript is shown. */
export function withJavaScript(command: GuidedCommand): GuidedCommand {
  return command
    .optionsGroup(OPTION_GROUP.NAMES)
    .option('--no-source-maps', 'functions and lines of the JavaScript that V8 ran')
    .optionsGroup(OPTION_GROUP.FRAMES)
    .addOption(
      new Option(
        '--frames <level>',
        "all (default of native programs); main, without what starts main and threads; javascript, native code folded (default where V8 has names); own, without libraries, dependencies and Node's",
      ).choices(FRAME_LEVELS),
    )
    .option('--js-simple', "without V8's inline caches and call stubs, too")
    .option('--js-raw', "V8's own names and frames, as perf shows them");
}

/** Others are asked over the net only when they are named. */
export function debuginfodOption(): Option {
  return new Option(
    '--debuginfod [urls]',
    'ask these servers (default DEBUGINFOD_URLS) for files that are missing',
  ).helpGroup(OPTION_GROUP.NAMES);
}

export function weightOption(): Option {
  return new Option('--weight <kind>', 'what a sample counts for (default events)')
    .choices(WEIGHTS)
    .helpGroup(OPTION_GROUP.SAMPLES);
}

/** Chooses one of the recorded events. */
export function eventOption(): Option {
  return new Option('-e, --event <name>', 'this event only (default all)').helpGroup(
    OPTION_GROUP.SAMPLES,
  );
}

export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
