import { existsSync } from 'node:fs';
import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
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

/**
 * The recording in the word behind an option whose value may be left out. Throws `UsageError` for a word that is neither
 * a value nor a file.
 */
export function recordingBehind(flag: string, takes: string, word: string): string {
  if (word === '-' || existsSync(word)) return word;
  throw new UsageError(
    `${flag} ${printable(word)}: ${flag} takes ${takes}, and no recording has that name`,
  );
}

/** A command whose one argument is a recording. */
export function withInput(command: GuidedCommand, description: string): GuidedCommand {
  return command
    .description(description)
    .argument('[file]', 'the recording; - is standard input (default perf.data)');
}
