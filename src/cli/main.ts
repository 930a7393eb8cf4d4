#!/usr/bin/env node
import { Command, CommanderError, Option } from 'commander';
import { exitWithoutShutdown } from '../session/exit.ts';
import { packageVersion } from '../session/version.ts';
import { reportFailure } from './failure.ts';
import { declareRecordOptions } from './record-command.ts';
import { declareStatOptions } from './stat-command.ts';
import { declareTopOptions } from './top-command.ts';

// Each command's code is loaded when it is run: `record` must not pay for the viewer.

const WEIGHTS = ['samples', 'period', 'events', 'time'];

function inputFile(argument: string | undefined, options: { input?: string }): string {
  return argument ?? options.input ?? 'perf.data';
}

function buildProgram(): Command {
  const program = new Command('perf-ts')
    .description('The Linux sampling profiler for people who live in Node and TypeScript.')
    .version(packageVersion())
    .enablePositionalOptions()
    .showHelpAfterError('  perf-ts COMMAND --help shows the options')
    .configureOutput({
      outputError: (text, write) => write(text.replace(/^error: /, 'perf-ts: ')),
    })
    .exitOverride()
    .addHelpText(
      'after',
      `
Examples:
  sudo perf-ts record -F 30000 -g -- ./app      sample a program, write perf.data
  perf-ts report                                where the events went
  perf-ts periods                               how the sampling period behaved, what was lost
  perf-ts export --format html -o app.html      one page with the flame graph`,
    );

  declareRecordOptions(
    program
      .command('record')
      .description('run or attach, sample, write perf.data')
      .argument('[command...]', 'the program to run and its arguments')
      .passThroughOptions(),
  ).action(async (command: string[], options) => {
    const { runRecord } = await import('./record.ts');
    await runRecord(command, options);
  });

  declareStatOptions(
    program
      .command('stat')
      .description('count events of a command, of what runs, or of the whole system')
      .argument('[command...]', 'the program to run and its arguments')
      .passThroughOptions(),
  ).action(async (command: string[], options) => {
    const { runStat } = await import('./stat.ts');
    await runStat(command, options);
  });

  declareTopOptions(
    program
      .command('top')
      .description('where the events go, while they go there')
      .argument('[command...]', 'the program to run and its arguments')
      .passThroughOptions(),
  ).action(async (command: string[], options) => {
    const { runTop } = await import('./top.ts');
    await runTop(command, options);
  });

  withJavaScript(
    withSymbols(
      withSelection(withInput(program.command('report'), 'where the events went, in the terminal')),
    ),
  )
    .addOption(weightOption())
    .option(
      '--join',
      'one event of those that count time: what ran, and with --off-cpu what waited',
    )
    .addOption(debuginfodOption())
    .option('--tree', 'callers and callees instead of the flat table')
    .option(
      '-s, --sort <keys>',
      'rows of the flat table: sym, dso, srcline, tier, category, comm, pid, tid, cpu, event, or a list',
      'sym',
    )
    .option('--children', 'rows by total: what was done in them and in all that they called')
    .option('--no-children', 'rows by self, without totals')
    .option('--no-group', 'a table for each event of a group, in place of one for all')
    .option('-e, --event <name>', 'this event only')
    .option('-n, --limit <rows>', 'how many rows (default 40, 0: all)')
    .option('--percent-limit <share>', 'leave out what is below this per cent (tree: default 0.5)')
    .option('--diff <file>', 'changes of self against another recording, with their intervals')
    .action(async (file: string | undefined, options) => {
      if (options.diff !== undefined) {
        const { runDiffReport } = await import('./diff-report.ts');
        await runDiffReport(inputFile(file, options), options.diff, options);
        return;
      }
      const { runReport } = await import('./report.ts');
      await runReport(inputFile(file, options), options);
    });

  withJavaScript(withSymbols(withSelection(program.command('diff'))))
    .description('changes of self from one recording to another, with their intervals')
    .argument('[old]', 'the recording that is compared with (default perf.data.old)')
    .argument('[new]', 'the recording that is looked at (default perf.data)')
    .option('--json', 'as JSON')
    .option('--strict', 'fail on a file that was cut short')
    .option('-v, --verbose', 'more about what was found')
    .addOption(weightOption())
    .addOption(debuginfodOption())
    .option('-e, --event <name>', 'this event only')
    .option('-n, --limit <rows>', 'how many rows (default 40, 0: all)')
    .action(async (old = 'perf.data.old', now = 'perf.data', options) => {
      const { runDiffReport } = await import('./diff-report.ts');
      await runDiffReport(now, old, options);
    });

  withInput(program.command('periods'), 'how the adaptive period behaved, and what was lost')
    .option('--streams <n>', 'how many streams to show, or all', '20')
    .option('--time <ranges>', 'streams with samples of this time, as in report')
    .option('-C, --cpu <cpus>', 'streams with samples of these CPUs')
    .option('--pid <pids>', 'streams with samples of these processes')
    .option('--tid <tids>', 'streams with samples of these threads')
    .option('-c, --comm <names>', 'streams with samples of threads with these names')
    .option(
      '--pairs [n]',
      'event rate and sampling rate of the first n pairs of samples (32), or all',
    )
    .option('--simulate <rates>', "instead of a file, such events: '1M/s for 1s, 10k/s for 1s'")
    .option('--freq <hz>', 'simulation: samples per second asked', '4000')
    .addOption(
      new Option('--event-kind <kind>', 'simulation: who counts')
        .choices(['software', 'hardware'])
        .default('software'),
    )
    .addOption(
      new Option('--hz <ticks>', 'simulation: ticks per second of the kernel')
        .choices(['100', '250', '300', '1000'])
        .default('250'),
    )
    .addOption(
      new Option('--rounding <how>', 'simulation: of the eighth; up is before August 2024')
        .choices(['away', 'up'])
        .default('away'),
    )
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

  withJavaScript(
    withSymbols(
      withSelection(
        withInput(program.command('export'), 'the profile in the format of other tools'),
      ),
    ),
  )
    .addOption(
      new Option('--format <format>', 'what to write')
        .choices(['folded', 'speedscope', 'html', 'pprof', 'firefox'])
        .makeOptionMandatory(),
    )
    .requiredOption('-o, --output <file>', 'where to write; - is standard output')
    .addOption(weightOption())
    .option(
      '--join',
      'one event of those that count time: what ran, and with --off-cpu what waited',
    )
    .addOption(debuginfodOption())
    .option('-e, --event <name>', 'this event only')
    .option('--title <text>', 'title of the page')
    .action(async (file: string | undefined, options) => {
      const { runExport } = await import('./export.ts');
      await runExport(inputFile(file, options), options);
    });

  withJavaScript(withSymbols(program.command('view')))
    .description('look at a profile in the browser, or at two to compare them')
    .argument('[files...]', 'one recording (default perf.data), or two')
    .option('--port <n>', 'listen on this port of 127.0.0.1 (default: any that is free)')
    .option('--no-open', 'print the address only')
    .addOption(weightOption())
    .addOption(debuginfodOption())
    .option('--strict', 'fail on a file that was cut short')
    .option('-v, --verbose', 'more about what was found')
    .option('--live', 'record now, and show what comes: with one of the next three')
    .option('-p, --pid <pids>', 'live: processes, all their threads')
    .option('-t, --tid <tids>', 'live: single threads')
    .option('-a, --all-cpus', 'live: the whole system')
    .option('-e, --event <list>', 'live: events in perf syntax; may repeat', collect)
    .option('-F, --freq <hz>', 'live: samples per second')
    .option('--call-graph <how>', 'live: call stacks, as in record (default fp)')
    .option('--duration <s>', 'live: stop recording after this many seconds')
    .action(async (files: string[], options) => {
      if (options.live) {
        const { runLiveView } = await import('./live-view.ts');
        // The kind of weight is not record's --weight.
        await runLiveView({ ...options, weight: false, inherit: true });
        return;
      }
      const { runView } = await import('./view.ts');
      await runView(files.length === 0 ? ['perf.data'] : files, options);
    });

  withSymbols(withSelection(withInput(program.command('script'), 'every record, one line each')))
    .option('--samples', 'samples only')
    .option(
      '-F, --fields <list>',
      'samples only, with these fields, as in perf; may repeat',
      collect,
    )
    .option('--ns', 'times with nanoseconds')
    .option('--js-simple', "callchains without V8's interpreter, inline caches and call stubs")
    .option('-e, --event <name>', 'this event only')
    .option('-D, --dump-raw-trace', 'the bytes of every record too, in the order of the file')
    .option('--show-task-events', 'beside samples: FORK, COMM and EXIT')
    .option('--show-mmap-events', 'beside samples: MMAP and MMAP2')
    .option('--show-switch-events', 'beside samples: context switches')
    .option('--show-namespace-events', 'beside samples: NAMESPACES')
    .option('--show-lost-events', 'beside samples: what was lost')
    .option('--show-bpf-events', 'beside samples: KSYMBOL and BPF_EVENT')
    .option('--show-cgroup-events', 'beside samples: CGROUP')
    .option('--show-text-poke-events', 'beside samples: changes of kernel code')
    .action(async (file: string | undefined, options) => {
      const { runScript } = await import('./script.ts');
      await runScript(inputFile(file, options), options);
    });

  withRecordSelection(
    withInput(
      program.command('inject'),
      'write a recording again: smaller, anonymous, a part of it',
    ),
  )
    .requiredOption('-o, --output <file>', 'where to write; - is standard output, as a pipe')
    .option('--strip-kernel', 'one marker in place of all kernel addresses')
    .option('--drop-stacks', 'without the copies of user stacks and registers')
    .option('--anonymize', 'hashes in place of paths, comms, host name, command line')
    .option('--salt <text>', 'goes into the hashes, so that nobody else can try names')
    .option('-b, --build-ids', 'add the build IDs of mapped files that are on this machine')
    .option('--remove-build-ids', 'without build IDs')
    .action(async (file: string | undefined, options) => {
      const { runInject } = await import('./inject.ts');
      runInject(inputFile(file, options), options);
    });

  withInput(
    program.command('archive'),
    'store what names the samples beside the file, for reports elsewhere',
  )
    .option('-o, --output <path>', 'a directory, or a .tar(.gz, .xz) file (default FILE.symbols)')
    .option('--full', 'whole files, in place of their symbols and tables')
    .option('--no-dwarf', 'without what tells lines and inlined calls')
    .option('--symfs <dir>', "the recorded machine's files are below this directory")
    .option('--kallsyms <file>', "the recorded machine's list of kernel symbols, or its vmlinux")
    .option('--debug-dir <dir>', 'debug files are below this directory, as in /usr/lib/debug')
    .action(async (file: string | undefined, options) => {
      const { runArchive } = await import('./archive.ts');
      runArchive(inputFile(file, options), options);
    });

  withRecordSelection(withInput(program.command('info'), 'header, events, record counts')).action(
    async (file: string | undefined, options) => {
      const { runInfo } = await import('./info.ts');
      await runInfo(inputFile(file, options), options);
    },
  );

  program
    .command('list')
    .description('events, and whether each one opens here')
    .argument('[glob]', 'only names that match')
    .option('--json', 'as one JSON document')
    .option('--try-each', 'try every tracepoint, not one of each kind (takes long)')
    .option('-v, --verbose', 'other names of the same event, what each source alone knows')
    .action(async (glob: string | undefined, options) => {
      const { runList } = await import('./list.ts');
      await runList(glob, options);
    });

  program
    .command('cpu')
    .description('what this processor can count, and why it can not')
    .option('--explain <register>', 'every bit of an event select, in hex: 0x004300c0')
    .addOption(
      new Option(
        '--vendor <vendor>',
        'explain: whose event select (default: of this machine)',
      ).choices(['intel', 'amd', 'arm']),
    )
    .option('--leaves <file>', 'of another machine: the output of cpuid -r there')
    .option('--json', 'as one JSON document')
    .action(async (options) => {
      const { runCpu } = await import('./cpu.ts');
      await runCpu(options);
    });

  program
    .command('doctor')
    .description('what stands in the way here, and the fix for each')
    .argument('[binary]', 'a program or library: whether stacks through it will be whole')
    .option('--selftest', 'record a workload of our own and check what is claimed of the kernel')
    .option('-e, --event <list>', 'selftest: this event only; may repeat', collect)
    .option('--quick', 'selftest: a third of the recordings')
    .option('-o, --output <file>', 'selftest: the report as JSON, to be sent on')
    .option('--json', 'as one JSON document')
    .option('-v, --verbose', 'selftest: every number')
    .action(async (binary, options) => {
      const { runDoctor } = await import('./doctor.ts');
      await runDoctor(options, binary);
    });

  return program;
}

/** The options that every command with a recording as input shares. */
function withInput(command: Command, description: string): Command {
  return command
    .description(description)
    .argument('[file]', 'the recording (default perf.data)')
    .option('-i, --input <file>', 'the recording')
    .option('--json', 'as JSON')
    .option('--strict', 'fail on a file that was cut short')
    .option('-v, --verbose', 'more about what was found');
}

/** The options that choose among the samples of a recording. */
function withSelection(command: Command): Command {
  return withRecordSelection(command)
    .option('-d, --dso <names>', 'samples in these files')
    .option('-S, --symbol <names>', 'samples in these functions')
    .addOption(new Option('--comms <names>').hideHelp())
    .addOption(new Option('--dsos <names>').hideHelp())
    .addOption(new Option('--symbols <names>').hideHelp());
}

/** Those of them that need no names of frames. */
function withRecordSelection(command: Command): Command {
  return command
    .option('--time <ranges>', 'samples of this time: START,STOP in seconds, 10%-20%, 10%/2')
    .option('-C, --cpu <cpus>', 'samples of these CPUs (0-3,8)')
    .option('--pid <pids>', 'samples of these processes')
    .option('--tid <tids>', 'samples of these threads')
    .option('-c, --comm <names>', 'samples of threads with these names');
}

/** Where names come from, for a recording of another machine. */
function withSymbols(command: Command): Command {
  return command
    .option('--symfs <dir>', "the recorded machine's files are below this directory")
    .option('--kallsyms <file>', "the recorded machine's list of kernel symbols, or its vmlinux")
    .option('--debug-dir <dir>', 'debug files are below this directory, as in /usr/lib/debug')
    .option('--archive <dir>', 'what perf-ts archive wrote, if it is not beside the file')
    .option('--no-inline', 'without the calls that the compiler inlined');
}

/** How JavaScript is shown. */
function withJavaScript(command: Command): Command {
  return command
    .option('--no-source-maps', 'functions and lines of the JavaScript that V8 ran')
    .option('--js-simple', "without V8's inline caches and call stubs, too")
    .option('--js-raw', "V8's own names and frames, as perf shows them");
}

/** Others are asked over the net only when they are named. */
function debuginfodOption(): Option {
  return new Option(
    '--debuginfod [urls]',
    'ask these servers (default DEBUGINFOD_URLS) for files that are missing',
  );
}

function weightOption(): Option {
  return new Option('--weight <kind>', 'what a sample counts for (default events)').choices(
    WEIGHTS,
  );
}

function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

async function main(): Promise<void> {
  try {
    const program = buildProgram();
    for (const command of program.commands) command.exitOverride();
    await program.parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
      return;
    }
    process.exitCode = reportFailure(error, process.argv.includes('--verbose'));
  }
}

await main();
exitWithoutShutdown();
