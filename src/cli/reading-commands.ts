import { Option } from 'commander';
import { DIFF_MEASURES } from '../profile/analysis/diff-measure.ts';
import { declareAnnotate } from './annotate/annotate-command.ts';
import type { GuidedCommand } from './command/guided-command.ts';
import { OPTION_GROUP } from './command/option-groups.ts';
import {
  allowUnpacked,
  collect,
  debuginfodOption,
  eventOption,
  inputFile,
  weightOption,
  withInput,
  withJavaScript,
  withRecordSelection,
  withSelection,
  withStrict,
  withSymbols,
} from './command/reading-options.ts';
import { declareBuildIdList, declareEvlist } from './info/lists-command.ts';
import { declareReport } from './report/report-command.ts';
import { declareView } from './view-command.ts';

// The commands that read a recording, and what their options are called. What an option means is in
// the command's own file, which is loaded when it is run.

export function declareReadingCommands(program: GuidedCommand): void {
  const before = program.commands.length;
  declareReport(program);
  declareDiff(program);
  declarePeriods(program);
  declareExport(program);
  declareView(program);
  declareAnnotate(program);
  declareScript(program);
  declareInject(program);
  declareArchive(program);
  declareInfo(program);
  declareEvlist(program);
  declareBuildIdList(program);
  for (const command of program.commands.slice(before)) allowUnpacked(command);
}

function declareDiff(program: GuidedCommand): void {
  withStrict(withJavaScript(withSymbols(withSelection(program.command('diff')))))
    .optionsGroup('Comparison:')
    .description('what takes more and what less from one recording to another, the older one first')
    .argument('[old]', 'the recording that is compared with (default perf.data.old)')
    .argument('[new...]', 'the recording that is looked at (default perf.data)')
    .option(
      '--baseline <old>',
      'compare with this one; may repeat, all files are new then',
      collect,
    )
    .option('--old <files...>', 'the older recordings, up to the next option')
    .option('--new <files...>', 'the newer recordings, up to the next option')
    .addOption(
      new Option(
        '--by <measure>',
        'compare as recorded, per second, or parts of all (default as recorded where a command ran)',
      ).choices(DIFF_MEASURES),
    )
    .option(
      '--fail-if <condition>',
      "end with status 1 where recordings show it: 'share(FUNC) grows by 10%'; may repeat",
      collect,
    )
    .addOption(weightOption())
    .addOption(debuginfodOption())
    .addOption(eventOption())
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-n, --limit <rows>', 'how many rows, 0: all (default 40)')
    .addOption(new Option('--rows <n>').hideHelp())
    .option('--md', 'a summary in Markdown, for a pull request')
    .option('--json', 'as JSON')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-q, --quiet', 'the table only: no messages')
    .examples(
      [
        ['perf-ts diff', 'what is new in perf.data, against perf.data.old before it'],
        ['perf-ts diff old.data', 'what is new in perf.data, against old.data'],
        ['perf-ts diff old.data new.data', 'the older one first, as in perf diff'],
        [
          'perf-ts diff --old a.data b.data --new c.data d.data',
          'means of several runs, by how far these differ',
        ],
        [
          "perf-ts diff --old a*.data --new b*.data --md --fail-if 'share(parse) grows by 10%'",
          'a gate for CI: status 1 only where the interval shows it',
        ],
      ],
      [
        'perf-ts report and perf-ts view have the newer one first: report new.data --diff old.data, view new.data old.data.',
      ],
    )
    .action(async (old: string | undefined, now: string[], options) => {
      const { diffSides } = await import('./report/diff-sides.ts');
      const { runDiffReport } = await import('./report/diff-report.ts');
      const { here, there } = diffSides([old ?? [], now].flat(), options);
      const { rows, ...rest } = options;
      await runDiffReport(here, there, rows === undefined ? rest : { ...rest, limit: rows });
    });
}

function declarePeriods(program: GuidedCommand): void {
  withInput(program.command('periods'), 'how the adaptive period behaved, and what was lost')
    .optionsGroup('Streams:')
    .option('--streams <n>', 'how many streams to show, or all', '20')
    .optionsGroup(OPTION_GROUP.SAMPLES)
    .option('--time <ranges>', 'streams with samples of this time, as in report')
    .option('-C, --cpu <cpus>', 'streams with samples of these CPUs')
    .option('--pid <pids>', 'streams with samples of these processes')
    .option('--tid <tids>', 'streams with samples of these threads')
    .option('-c, --comm <names>', 'streams with samples of threads with these names')
    .optionsGroup('Streams:')
    .option(
      '--pairs [n]',
      'event rate and sampling rate of the first n pairs of samples, or all (default 32)',
    )
    .optionsGroup('Simulation:')
    .option('--simulate <rates>', "instead of a file, such events: '1M/s for 1s, 10k/s for 1s'")
    .option('--freq <hz>', 'samples per second asked', '4000')
    .addOption(
      new Option('--event-kind <kind>', 'who counts')
        .choices(['software', 'hardware'])
        .default('software'),
    )
    .addOption(
      new Option('--hz <ticks>', 'ticks per second of the kernel')
        .choices(['100', '250', '300', '1000'])
        .default('250'),
    )
    .addOption(
      new Option('--rounding <how>', 'how the eighth is rounded; up is before August 2024')
        .choices(['away', 'up'])
        .default('away'),
    )
    .examples([
      ['perf-ts periods', 'of perf.data'],
      ['perf-ts periods --pairs 8', 'and the rates from sample to sample'],
      [
        "perf-ts periods --simulate '1M/s for 100ms, 10k/s for 1s' --freq 5000",
        'of events that are made up',
      ],
    ])
    .action(async (file: string | undefined, options) => {
      if (options.simulate !== undefined) {
        const { runSimulate } = await import('./simulate.ts');
        runSimulate(options);
        return;
      }
      const { fileBehindPairs, runPeriods } = await import('./periods.ts');
      const given = fileBehindPairs(file, options);
      await runPeriods(inputFile(given.file, given.flags), given.flags);
    });
}

function declareExport(program: GuidedCommand): void {
  withJavaScript(
    withSymbols(
      withSelection(
        withInput(
          program.command('export'),
          'the profile in the format of other tools',
          'what the weights are, as JSON on standard error',
        ),
      ),
    ),
  )
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .addOption(
      new Option('--format <format>', 'what to write')
        .choices(['folded', 'speedscope', 'html', 'pprof', 'firefox', 'cpuprofile', 'parquet'])
        .makeOptionMandatory(),
    )
    .requiredOption(
      '-o, --output <file>',
      'where to write; - is standard output; parquet: a folder',
    )
    .option('--service <name>', 'parquet: the service that was recorded')
    .option('--build <name>', 'parquet: the version that was recorded')
    .addOption(weightOption())
    .optionsGroup(OPTION_GROUP.SAMPLES)
    .option(
      '--join',
      'one event of those that count time: what ran, and with --off-cpu what waited',
    )
    .addOption(debuginfodOption())
    .addOption(eventOption())
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--title <text>', 'title of the page (default the command that was recorded)')
    .option('--no-sources', 'html: without the texts of the source files with most samples')
    .addOption(
      new Option(
        '--names <how>',
        'names in folded lines: complete, or cut at parameters as stackcollapse-perf.pl does',
      )
        .choices(['full', 'tidy'])
        .default('full'),
    )
    .examples([
      ['perf-ts export --format html -o page.html', 'the page of perf-ts view in one file'],
      ['perf-ts export --format speedscope -o p.speedscope.json', 'for www.speedscope.app'],
      ['perf-ts export --format pprof -o p.pb.gz', 'for go tool pprof'],
      ['perf-ts export --format firefox -o p.json', 'for profiler.firefox.com'],
      [
        'perf-ts export --format cpuprofile -o p.cpuprofile',
        'one thread, for DevTools and VS Code',
      ],
      ['perf-ts export --format parquet -o app.parquet', 'tables for SQL, one file each'],
      [
        'perf-ts export --format folded -o - | flamegraph.pl > graph.svg',
        'for the scripts of FlameGraph',
      ],
    ])
    .action(async (file: string | undefined, options) => {
      if (options.format === 'parquet') {
        const { exportParquet } = await import('./export-parquet.ts');
        await exportParquet(inputFile(file, options), options);
        return;
      }
      const { runExport } = await import('./export.ts');
      await runExport(inputFile(file, options), options);
    });
}

function declareScript(program: GuidedCommand): void {
  withSymbols(withSelection(withInput(program.command('script'), 'every record, one line each')))
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('--samples', 'samples only')
    .option(
      '-F, --fields <list>',
      'samples only, with these fields, as in perf; may repeat',
      collect,
    )
    .option('--ns', 'times with nanoseconds')
    .option('--header', 'the header of the recording first')
    .option('--header-only', 'the header of the recording, and no records')
    .addOption(new Option('-I, --show-info').hideHelp())
    .optionsGroup(OPTION_GROUP.FRAMES)
    .option('--js-simple', "callchains without V8's interpreter, inline caches and call stubs")
    .addOption(eventOption())
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-D, --dump-raw-trace', 'the bytes of every record too, in the order of the file')
    .optionsGroup('Records in addition to samples:')
    .option('--show-task-events', 'FORK, COMM and EXIT')
    .option('--show-mmap-events', 'MMAP and MMAP2')
    .option('--show-switch-events', 'context switches')
    .option('--show-namespace-events', 'NAMESPACES')
    .option('--show-lost-events', 'what was lost')
    .option('--show-bpf-events', 'KSYMBOL and BPF_EVENT')
    .option('--show-cgroup-events', 'CGROUP')
    .option('--show-text-poke-events', 'changes of kernel code')
    .optionsGroup(OPTION_GROUP.GENERAL)
    .option('-q, --quiet', 'the records only: no messages')
    .examples([
      ['perf-ts script', 'every record, in the order of time'],
      ['perf-ts script -F comm,tid,time,ip,sym', 'samples only, with these fields'],
      [
        `perf-ts script --json | jq -c 'select(.type == "SAMPLE") | .ip'`,
        'the addresses of all samples',
      ],
      ['perf-ts script -D', 'with the bytes of every record'],
    ])
    .action(async (file: string | undefined, options) => {
      const path = inputFile(file, options);
      const { checkIsNoPerfScript } = await import('./perf/perf-commands.ts');
      checkIsNoPerfScript(path);
      if (options.header || options.headerOnly || options.showInfo) {
        const { printHeader } = await import('./info/info.ts');
        printHeader(path, options.headerOnly ? options : { quiet: true });
        if (options.headerOnly) return;
      }
      const { runScript } = await import('./script/script.ts');
      await runScript(path, options);
    });
}

function declareInject(program: GuidedCommand): void {
  withRecordSelection(
    withInput(
      program.command('inject'),
      'write a copy of a recording: made smaller or anonymous, or a part of it',
      'the closing summary as JSON on standard error',
    ),
  )
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .requiredOption('-o, --output <file>', 'where to write; - is standard output, as a pipe')
    .optionsGroup('Changes:')
    .option('--strip-kernel', 'one marker in place of all kernel addresses')
    .option('--drop-stacks', 'without the copies of user stacks and registers')
    .option('--anonymize', 'hashes in place of paths, comms, host name, command line')
    .option('--salt <text>', 'is added to the hashes, so that trying names does not reveal them')
    .option('-b, --build-ids', 'add the build IDs of mapped files that are on this machine')
    .option('--remove-build-ids', 'without build IDs')
    .examples([
      ['perf-ts inject -o small.data --drop-stacks', 'without the copies of stacks'],
      ['perf-ts inject -o part.data --time 10%-20%', 'a part of the time'],
      [
        'perf-ts inject -o share.data --strip-kernel --anonymize --salt "$(cat /proc/sys/kernel/random/uuid)"',
        'names replaced, to be shown to others',
      ],
    ])
    .action(async (file: string | undefined, options) => {
      const { runInject } = await import('./inject.ts');
      runInject(inputFile(file, options), options);
    });
}

function declareArchive(program: GuidedCommand): void {
  withInput(
    program.command('archive'),
    'store symbols next to the recording, for reports on other machines',
  )
    .optionsGroup(OPTION_GROUP.OUTPUT)
    .option('-o, --output <path>', 'a directory, or a .tar(.gz, .xz) file (default FILE.symbols)')
    .option('--full', 'complete files instead of their symbols and tables')
    .option('--no-dwarf', 'without lines and inlined calls')
    .optionsGroup(OPTION_GROUP.NAMES)
    .option('--symfs <dir>', "the recorded machine's files are below this directory")
    .option('--kallsyms <file>', "the recorded machine's list of kernel symbols, or its vmlinux")
    .option('--debug-dir <dir>', 'debug files are below this directory, as in /usr/lib/debug')
    .examples([
      ['perf-ts archive', 'perf.data.symbols, beside perf.data'],
      ['perf-ts archive -o perf.data.symbols.tar.gz', 'the same in one file'],
    ])
    .action(async (file: string | undefined, options) => {
      const { runArchive } = await import('./record/archive.ts');
      runArchive(inputFile(file, options), options);
    });
}

function declareInfo(program: GuidedCommand): void {
  withRecordSelection(withInput(program.command('info'), 'header, events, record counts'))
    .examples([
      ['perf-ts info', 'of perf.data'],
      ['perf-ts info --json app.data', 'for a program'],
    ])
    .action(async (file: string | undefined, options) => {
      const { runInfo } = await import('./info/info.ts');
      await runInfo(inputFile(file, options), options);
    });
}
