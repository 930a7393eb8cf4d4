import { INJECT } from '../../options/inject.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareInject(program: GuidedCommand): void {
  withInput(
    program.command('inject'),
    'write a copy of a recording: made smaller or anonymous, or a part of it',
  )
    .examples([
      ['perf-ts inject -o small.data --drop-stacks', 'without the copies of stacks'],
      ['perf-ts inject -o part.data --time 10%-20%', 'a part of the time'],
      [
        'perf-ts inject -o share.data --strip-kernel --anonymize --salt "$(cat /proc/sys/kernel/random/uuid)"',
        'names replaced, to be shown to others',
      ],
    ])
    .asks(INJECT, async (options, file: string | undefined) => {
      const { runInject } = await import('./inject.ts');
      runInject(inputFile(file, options), options);
    });
}
