import { UsageError } from '../../base/errors.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import {
  collect,
  debuginfodOption,
  weightOption,
  withJavaScript,
  withStrict,
  withSymbols,
} from '../shared/reading-options.ts';

export function declareView(program: GuidedCommand): void {
  withStrict(withJavaScript(withSymbols(program.command('view'))))
    .description('look at a profile in the browser, or compare it with an older one')
    .argument('[files...]', 'one recording (default perf.data), or two: NEW OLD')
    .option(
      '--baseline <old>',
      'a recording to compare the files with; may repeat, as may the files: several runs a side',
      collect,
    )
    .optionsGroup('Page:')
    .option(
      '--port <n>',
      'listen on this port of 127.0.0.1; 3000+: or the next free one (default any that is free)',
    )
    .option('--no-open', 'print the address only')
    .addOption(weightOption())
    .addOption(debuginfodOption())
    .optionsGroup('Live:')
    .option('--live', 'record now, and show what comes: with one of the next three')
    .option('-p, --pid <pids>', 'processes, all their threads')
    .option('-t, --tid <tids>', 'single threads')
    .option('-a, --all-cpus', 'the whole system')
    .option(
      '-e, --event <list>',
      'events in perf syntax; may repeat (default as in record)',
      collect,
    )
    .option('-F, --freq <hz>', 'samples per second (default 3989)')
    .option('--call-graph <how>', 'call stacks, as in record (default fp)')
    .option('--duration <s>', 'stop recording after this many seconds')
    .examples([
      ['perf-ts view', 'perf.data'],
      [
        'perf-ts view new.data old.data',
        'what changed; the newer one first, unlike in perf-ts diff',
      ],
      [
        'perf-ts view --baseline old1.data --baseline old2.data new1.data new2.data',
        'several runs a side',
      ],
      ['sudo perf-ts view --live -p 1234', 'a process that runs, while it runs'],
      ['perf-ts record --view -- ./app', 'the same with a program that is to be started'],
    ])
    .action(async (files: string[], options) => {
      checkLiveOptions(files, options);
      if (options.live) {
        const { runLiveView } = await import('../record/record-live.ts');
        await runLiveView(options);
        return;
      }
      const { runView, viewSides } = await import('./view.ts');
      await runView(viewSides(files, options.baseline), options);
    });
}

/** What means something only while it is recorded, by commander's name for it. */
const ONLY_LIVE = [
  ['pid', '-p'],
  ['tid', '-t'],
  ['allCpus', '-a'],
  ['event', '-e'],
  ['freq', '-F'],
  ['callGraph', '--call-graph'],
  ['duration', '--duration'],
] as const;

/** Refuses what would have no effect. Throws `UsageError`. */
function checkLiveOptions(files: readonly string[], options: Record<string, unknown>): void {
  if (!options.live) {
    const stray = ONLY_LIVE.find(([name]) => options[name] !== undefined);
    if (stray === undefined) return;
    throw new UsageError(`${stray[1]} belongs to view --live`, [
      'a recording that is there has its events: they are chosen in the page',
    ]);
  }
  if (files.length > 0) {
    throw new UsageError(`view --live ${files[0]}: it shows what is recorded now, and no file`, [
      'a program that is to be started: perf-ts record --view -- ./app',
    ]);
  }
  if (options.baseline !== undefined) {
    throw new UsageError('view --live compares with nothing', [
      'perf-ts record, then perf-ts view NEW OLD',
    ]);
  }
  if (options.strict) throw new UsageError('--strict is about files, and view --live reads none');
  if (options.debuginfod !== undefined) {
    throw new UsageError('view --live asks no debuginfod server: it would wait for each answer', [
      'perf-ts record, then perf-ts view --debuginfod',
    ]);
  }
}
