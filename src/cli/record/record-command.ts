import { Option } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { type GivenFlags, readFlags } from '../../options/read-flags.ts';
import { RECORD } from '../../options/record.ts';
import { declareOptions } from '../shared/declare-options.ts';
import type { Example, GuidedCommand } from '../shared/guided-command.ts';
import { measuringCommand, prepareFor } from '../shared/measuring-command.ts';

/** Options of perf that are not there, by commander's name for them, and why. */
const REFUSED = [
  {
    flags: '--threads [=spec]',
    key: 'threads',
    why: 'one thread drains all rings',
    instead: 'if samples are lost, give it larger rings: -m 16M',
  },
  {
    flags: '--aio [=n]',
    key: 'aio',
    why: 'the thread that writes does nothing else',
    instead: 'if samples are lost, give it larger rings: -m 16M',
  },
] as const;

/** Throws `UsageError` that says why an option of perf is not there. */
function refuse(flags: GivenFlags): void {
  for (const { flags: option, key, why, instead } of REFUSED) {
    if (flags[key] !== undefined)
      throw new UsageError(`${option.split(' ')[0]}: ${why}`, [instead]);
  }
}

/** `perf-ts record`; its code is loaded when it is run. */
export function declareRecord(program: GuidedCommand): void {
  const command = declareOptions(
    measuringCommand(program, 'record', 'run or attach, sample, write perf.data'),
    RECORD,
  );
  for (const { flags } of REFUSED) command.addOption(new Option(flags).hideHelp());
  command.examples(EXAMPLES).action(async (words: string[], flags: GivenFlags) => {
    prepareFor(words);
    refuse(flags);
    const { runRecord } = await import('./record.ts');
    await runRecord(words, readFlags(RECORD, flags));
  });
}

const EXAMPLES: readonly Example[] = [
  ['perf-ts record -- node app.js', 'with call stacks, as of Bun and Deno'],
  ['sudo perf-ts record -F 30000 -g -- ./app', 'another program; -g: call stacks'],
  ['perf-ts record -g -p 1234 -- sleep 10', 'a process that runs already, for ten seconds'],
  ['sudo perf-ts record -a -e sched:sched_switch -c 1', 'every context switch of the machine'],
  ['sudo perf-ts record --off-cpu -- node app.js', 'what it runs, and what it waits for'],
];
