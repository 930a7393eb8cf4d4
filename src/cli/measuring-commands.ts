import { captureStartState } from '../system/launch/start-state.ts';
import { declareAgentOptions } from './agent/agent-command.ts';
import { leaveToCommand } from './command/exit.ts';
import type { GuidedCommand } from './command/guided-command.ts';
import { declareRecordOptions } from './record/record-command.ts';
import { declareStatOptions } from './stat/stat-command.ts';
import { declareTopOptions } from './top/top-command.ts';

/** The commands that run a program, or attach to what runs. */
export const MEASURING_COMMANDS: readonly string[] = ['record', 'stat', 'top'];

/** Declares the commands that measure. Their code is loaded when they are run. */
export function declareMeasuringCommands(program: GuidedCommand): void {
  declareRecordOptions(
    measuringCommand(program, 'record', 'run or attach, sample, write perf.data'),
  ).action(async (command: string[], options) => {
    prepareFor(command);
    const { runRecord } = await import('./record/record.ts');
    await runRecord(command, options);
  });

  declareStatOptions(
    measuringCommand(
      program,
      'stat',
      'count events of a command, of what runs, or of the whole system',
    ),
  ).action(async (command: string[], options) => {
    prepareFor(command);
    const { runStat } = await import('./stat/stat.ts');
    await runStat(command, options);
  });

  declareTopOptions(measuringCommand(program, 'top', 'live profile of running code')).action(
    async (command: string[], options) => {
      prepareFor(command);
      const { runTop } = await import('./top/top.ts');
      await runTop(command, options);
    },
  );

  declareAgentOptions(
    program
      .command('agent')
      .description('profile this machine without an end, a profile of each service every 10 s'),
  ).action(async (options) => {
    const { runAgent } = await import('./agent/agent.ts');
    await runAgent(options);
  });
}

function measuringCommand(
  program: GuidedCommand,
  name: string,
  description: string,
): GuidedCommand {
  return program
    .command(name)
    .description(description)
    .argument('[command...]', 'the program to run and its arguments')
    .passThroughOptions();
}

/** Before anything is opened: what a command is to inherit is only known now. */
function prepareFor(command: readonly string[]): void {
  if (command.length === 0) return;
  captureStartState();
  leaveToCommand();
}
