import { UsageError } from '../../base/errors.ts';
import type { GuidedCommand } from './guided-command.ts';

/** Advice for two recordings where one is read. */
export const COMPARED = 'two are compared by perf-ts diff OLD NEW';

/** The recording that a command reads. Throws `UsageError` where two are named. */
export function inputFile(argument: string | undefined, { input }: { input?: string }): string {
  if (argument !== undefined && input !== undefined && argument !== input) {
    throw new UsageError(`-i ${input} and ${argument}: this command reads one recording`, [
      COMPARED,
    ]);
  }
  return argument ?? input ?? 'perf.data';
}

/** A command whose one argument is a recording. */
export function withInput(command: GuidedCommand, description: string): GuidedCommand {
  return command
    .description(description)
    .argument('[file]', 'the recording; - is standard input (default perf.data)');
}
