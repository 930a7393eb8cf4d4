import { FailedError, PerfDataError, UsageError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';

/** Exit statuses of the contract. */
export const EXIT_USAGE = 2;
/** `--fail-on-loss` was exceeded and the command itself ended well. */
export const EXIT_LOSS = 3;
export const EXIT_FAILED = 125;

/**
 * One line for what failed, then what to do; the stack only with `--verbose`. Returns the exit
 * status that belongs to the error.
 */
export function reportFailure(error: unknown, verbose: boolean): number {
  const known =
    error instanceof UsageError ||
    error instanceof FailedError ||
    error instanceof PerfDataError ||
    isSystemError(error);
  const message = error instanceof Error ? error.message : String(error);
  say(`perf-ts: ${message}`);
  if (error instanceof UsageError || error instanceof FailedError) {
    for (const hint of error.hints) say(`  ${hint}`);
  }
  if (verbose || !known) {
    if (error instanceof Error && error.stack) say(error.stack);
  }
  if (error instanceof UsageError) return EXIT_USAGE;
  if (error instanceof FailedError) return error.exitStatus;
  return EXIT_FAILED;
}

/** What the kernel refused, a full disk for instance: its text is enough without the stack. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error && 'code' in error;
}

/** Prints on standard error, line by line, nothing that could move the cursor. */
export function say(text: string): void {
  for (const line of text.split('\n')) process.stderr.write(`${printable(line)}\n`);
}
