import { Option } from 'commander';
import { OPTION_GROUP } from '../../options/groups.ts';
import { DIFF_MEASURES } from '../../profile/analysis/diff-measure.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import {
  collect,
  debuginfodOption,
  eventOption,
  weightOption,
  withJavaScript,
  withSelection,
  withStrict,
  withSymbols,
} from '../shared/reading-options.ts';

export function declareDiff(program: GuidedCommand): void {
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
      const { diffSides } = await import('./diff-sides.ts');
      const { runDiffReport } = await import('./diff-report.ts');
      const { here, there } = diffSides([old ?? [], now].flat(), options);
      const { rows, ...rest } = options;
      await runDiffReport(here, there, rows === undefined ? rest : { ...rest, limit: rows });
    });
}
