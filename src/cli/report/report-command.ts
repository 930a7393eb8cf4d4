import { type GivenFlags, readFlags } from '../../options/read-flags.ts';
import { REPORT } from '../../options/report.ts';
import { declareOptions } from '../shared/declare-options.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { inputFile, withInput } from '../shared/reading-options.ts';

/** Declares `report`. Its code is loaded when it is run. */
export function declareReport(program: GuidedCommand): void {
  withInput(
    declareOptions(program.command('report'), REPORT),
    'where the events went, in the terminal',
  )
    .examples([
      ['perf-ts report', 'functions, those with the largest share first'],
      ['perf-ts report --tree -e cpu-clock', 'who called them, of one event'],
      ['perf-ts report --sort comm,dso', 'by command and file'],
      ['perf-ts report --time 10%-20% -c node app.data', 'a part of the time, of some threads'],
      ['perf-ts report --by request', 'routes of a server: how long they took, what ran for them'],
      ['perf-ts report new.data --diff old.data', 'as perf-ts diff old.data new.data'],
    ])
    .action(async (word: string | undefined, given: GivenFlags) => {
      const { asPerfMeans } = await import('./perf-flags.ts');
      const { file, flags, treeOrder } = asPerfMeans(word, given);
      const options = { ...readFlags(REPORT, flags), ...(treeOrder && { treeOrder }) };
      if (options.diff !== undefined) {
        const { runDiffReport } = await import('../diff/diff-report.ts');
        const { by: _, ...ofDiff } = options;
        await runDiffReport([inputFile(file, options)], [options.diff], ofDiff);
        return;
      }
      const path = inputFile(file, options);
      if (options.headerOnly || options.stats) {
        const { printHeader, printStats } = await import('../info/info.ts');
        if (options.headerOnly) printHeader(path, options);
        else printStats(path, options);
        return;
      }
      if (options.marks || options.syscalls || options.by !== undefined) {
        const { runMarks } = await import('./mark-report.ts');
        await runMarks(path, options);
        return;
      }
      const { runReport } = await import('./report.ts');
      await runReport(path, options);
    });
}
