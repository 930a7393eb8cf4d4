import { DIFF } from '../../options/diff.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareDiff(program: GuidedCommand): void {
  program
    .command('diff')
    .description('what takes more and what less from one recording to another, the older one first')
    .argument('[old]', 'the recording that is compared with (default perf.data.old)')
    .argument('[new...]', 'the recording that is looked at (default perf.data)')
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
        'perf-ts view has the older one first, too; perf-ts report has it behind its option: report new.data --diff old.data.',
      ],
    )
    .asks(DIFF, async (options, old: string | undefined, now: string[]) => {
      const { diffSides } = await import('./diff-sides.ts');
      const { runDiffReport } = await import('./diff-report.ts');
      const { here, there } = diffSides([old ?? [], now].flat(), options);
      await runDiffReport(here, there, options);
    });
}
