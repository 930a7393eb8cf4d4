import { type GivenFlags, readFlags } from '../../options/read-flags.ts';
import { declareOptions } from '../shared/declare-options.ts';
import type { GuidedCommand } from '../shared/guided-command.ts';
import { measuringCommand, prepareFor } from '../shared/measuring-command.ts';
import { RUN } from './run-options.ts';

/** `perf-ts run`, and `perf-ts` with what to run in place of a command; its code is loaded when it is run. */
export function declareRun(program: GuidedCommand): void {
  const command = measuringCommand(
    program,
    'run',
    'record, and report where the time went; the word may be left out',
  );
  declareOptions(command, RUN)
    .examples(
      [
        ['perf-ts app.js', 'a script: node runs it, tsx or node TypeScript'],
        ['perf-ts npx tsx app.ts', 'a program and its arguments'],
        ['perf-ts -p 1234', 'a process that runs, until Ctrl-C'],
        ['perf-ts -o out.html -- node app.js', 'also a page with the flame graph'],
        ['perf-ts run --off-cpu -- node app.js', 'what it runs, and what it waits for (root)'],
      ],
      [
        "The report goes to standard error where standard output is the command's and no terminal. The recording stays in " +
          'perf.data: perf-ts report, view and export read it. perf-ts record has more options, and prints no report.',
      ],
    )
    .action(async (words: string[], flags: GivenFlags) => {
      prepareFor(words);
      const { runAndReport } = await import('./run.ts');
      await runAndReport(words, readFlags(RUN, flags), (line) =>
        program.parseAsync(line, { from: 'user' }),
      );
    });
}
