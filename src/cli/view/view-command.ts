import { UsageError } from '../../base/errors.ts';
import type { AskedOf } from '../../options/option.ts';
import { VIEW } from '../../options/view.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';

export function declareView(program: GuidedCommand): void {
  const command = program
    .command('view')
    .description(
      'look at a profile in the browser: flame graph, tables, source; or compare it with an older one; also perf-ts open',
    )
    .argument(
      '[files...]',
      'one recording, two: OLD NEW, or a folder (default this folder: its only recording, else a list)',
    );
  command
    .examples([
      [
        'perf-ts view',
        'the recording in this folder; of several a list, from which two are compared',
      ],
      ['perf-ts view old.data new.data', 'what changed; the older one first, as in perf-ts diff'],
      [
        'perf-ts view --baseline old1.data --baseline old2.data new1.data new2.data',
        'several runs a side',
      ],
      ['sudo perf-ts view --live -p 1234', 'a process that runs, while it runs'],
      ['perf-ts record --view -- ./app', 'the same with a program that is to be started'],
    ])
    .asks(VIEW, async (asked, files: string[]) => {
      if (asked.live) {
        checkLiveOptions(files, asked);
        const { runLiveView } = await import('../record/record-live.ts');
        await runLiveView(asked);
        return;
      }
      const { runView, viewSides } = await import('./view.ts');
      await runView(viewSides(files, asked.baseline), asked);
    });
}

/** Refuses what `view --live` does not do. Throws `UsageError`. */
function checkLiveOptions(
  files: readonly string[],
  { strict, debuginfod }: AskedOf<typeof VIEW>,
): void {
  if (files.length > 0) {
    throw new UsageError(`view --live ${files[0]}: it shows what is recorded now, and no file`, [
      'a program that is to be started: perf-ts record --view -- ./app',
    ]);
  }
  if (strict) throw new UsageError('--strict is about files, and view --live reads none');
  if (debuginfod !== undefined) {
    throw new UsageError('view --live asks no debuginfod server: it would wait for each answer', [
      'perf-ts record, then perf-ts view --debuginfod',
    ]);
  }
}
