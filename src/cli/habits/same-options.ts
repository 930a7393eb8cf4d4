import { type Command, Option } from 'commander';

/** Options by which samply, py-spy and 0x ask for what `record` and `run` do anyway. */
const OF_OTHERS: readonly string[] = [
  '--subprocesses',
  '--native',
  '--save-only',
  '--collect-only',
  '--nonblocking',
];

/** Options of perf that ask for what perf-ts does anyway. They have no effect, and are not in the help. */
const SAME: Readonly<Record<string, readonly string[]>> = {
  report: [
    '--stdio',
    '--stdio2',
    '--tui',
    '--gtk',
    '--show-nr-samples',
    '-f, --force',
    '--group',
    '--demangle',
    '--demangle-kernel',
    '--inline',
    '--skip-empty',
  ],
  annotate: [
    '--stdio',
    '--stdio2',
    '--tui',
    '-f, --force',
    '--group',
    '--demangle',
    '--demangle-kernel',
    '--source',
    '-l, --print-line',
    '--skip-missing',
  ],
  diff: ['-f, --force', '--stdio', '--demangle'],
  script: ['-f, --force', '--demangle', '--demangle-kernel', '--inline'],
  stat: ['--scale', '--no-csv-summary'],
  top: ['--stdio', '--tui', '--show-nr-samples', '--force', '--demangle-kernel'],
  run: OF_OTHERS,
  record: [
    '-T, --timestamp',
    '-P, --period',
    '--sample-cpu',
    '--sample-identifier',
    '--buildid-mmap',
    '--buildid-all',
    '--timestamp-boundary',
    ...OF_OTHERS,
  ],
  inject: ['-f, --force'],
  archive: ['-f, --force'],
  evlist: ['-f, --force'],
  'buildid-list': ['-f, --force'],
  info: ['-f, --force'],
};

/** Declares them on `command`, by its name. */
export function acceptSameOptions(command: Command): void {
  for (const flags of SAME[command.name()] ?? []) {
    command.addOption(new Option(flags).hideHelp());
  }
}
