import { SCRIPT_OPTIONS } from '../../options/script.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

export function declareScript(program: GuidedCommand): void {
  withInput(program.command('script'), 'every record, one line each')
    .examples([
      ['perf-ts script', 'every record, in the order of time'],
      ['perf-ts script -F comm,tid,time,ip,sym', 'samples only, with these fields'],
      [
        `perf-ts script --json | jq -c 'select(.type == "SAMPLE") | .ip'`,
        'the addresses of all samples',
      ],
      ['perf-ts script -D', 'with the bytes of every record'],
    ])
    .asks(SCRIPT_OPTIONS, async (options, file: string | undefined) => {
      const path = inputFile(file, options);
      const { checkIsNoPerfScript } = await import('../habits/perf-commands.ts');
      checkIsNoPerfScript(path);
      if (options.header || options.headerOnly || options.showInfo) {
        const { printHeader } = await import('../info/info.ts');
        printHeader(path, options.headerOnly ? options : { quiet: true });
        if (options.headerOnly) return;
      }
      const { runScript } = await import('./script.ts');
      await runScript(path, options);
    });
}
