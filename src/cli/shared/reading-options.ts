import type { Command } from 'commander';
import { UsageError } from '../../base/errors.ts';
import { readFlags } from '../../options/read-flags.ts';
import { STRICT } from '../../options/reading.ts';
import { MAX_UNPACKED_VARIABLE } from '../../read/files/most-unpacked.ts';
import type { GuidedCommand } from './guided-command.ts';

/** The recording that a command reads. Throws `UsageError` where two are named. */
export function inputFile(argument: string | undefined, { input }: { input?: string }): string {
  if (argument !== undefined && input !== undefined && argument !== input) {
    throw new UsageError(`-i ${input} and ${argument}: this command reads one recording`, [
      'two are compared by perf-ts diff OLD NEW',
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

/** Lets all that reads in this process, and in its threads, take the memory that `--max-unpacked` allows. */
export function allowUnpacked(command: Command): void {
  const { maxUnpacked } = readFlags(STRICT, command.opts());
  if (maxUnpacked !== undefined) process.env[MAX_UNPACKED_VARIABLE] = String(maxUnpacked);
}
