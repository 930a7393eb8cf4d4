import { captureStartState } from '../../system/launch/start-state.ts';
import { leaveToCommand } from './exit.ts';
import type { GuidedCommand } from './guided-command.ts';

/** The commands that run a program, or attach to what runs. */
export const MEASURING_COMMANDS: readonly string[] = ['run', 'record', 'stat', 'top'];

/** A command that runs a program: the words after its own options are the program's. */
export function measuringCommand(
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

/** Keeps what the command is to inherit, which is known only until something is opened. */
export function prepareFor(command: readonly string[]): void {
  if (command.length === 0) return;
  captureStartState();
  leaveToCommand();
}
