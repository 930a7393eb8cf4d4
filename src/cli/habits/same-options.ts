import { type Command, Option } from 'commander';

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
  record: [
    '-T, --timestamp',
    '-P, --period',
    '--sample-cpu',
    '--sample-identifier',
    '--buildid-mmap',
    '--buildid-all',
    // samply, py-spy and 0x have the others.
    '--timestamp-boundary',
    '--subprocesses',
    '--native',
    '--save-only',
    '--collect-only',
    '--nonblocking',
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
