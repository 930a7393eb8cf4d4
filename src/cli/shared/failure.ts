import { atCommand, FailedError, messageOf, PerfDataError, UsageError } from '../../base/errors.ts';
import { EXIT } from '../../base/exit-status.ts';
import { printable } from '../../base/printable.ts';
import { describeSystemError, isSystemError, systemErrorReason } from '../../base/system-error.ts';
import type { NativeError } from '../../native/types.ts';
import { statOrNull } from '../../system/small-file.ts';
import { inLocale } from '../render/ascii.ts';
import { wrapRemark } from '../render/wrap.ts';
import { thisRun } from './run.ts';
import { drawnTerminal, writeError } from './stdout.ts';

/**
 * Prints one line for what failed, then what to do; the stack only with `--verbose`. Returns the exit
 * status that belongs to the error.
 */
export function reportFailure(error: unknown): number {
  const { message, hints } = describe(error);
  notifyAlways(inLocale(`perf-ts: ${message}`));
  for (const hint of hints) notifyAlways(inLocale(`  ${hint}`));
  if (thisRun().isVerbose && error instanceof Error && error.stack) notifyAlways(error.stack);
  if (error instanceof UsageError) return EXIT.USAGE;
  if (error instanceof FailedError) return error.exitStatus;
  return EXIT.FAILED;
}

type Description = { readonly message: string; readonly hints: readonly string[] };

/** A file that it would have loaded next is what failed where the package is gone, and a hint to run it is no help. */
function describe(error: unknown): Description {
  const wasRemoved = statOrNull(process.argv[1]) === null;
  if (error instanceof UsageError || !wasRemoved) return describeInPlace(error);
  const [reason] = messageOf(error).split('\n');
  const { recorded } = thisRun();
  return {
    message: `perf-ts was removed while it ran: ${reason}`,
    hints: recorded === null ? [] : [`the recording is complete: ${recorded}`],
  };
}

function describeInPlace(error: unknown): Description {
  const isWorded =
    error instanceof UsageError || error instanceof FailedError || error instanceof PerfDataError;
  if (isWorded) return atCommand(error);
  if (isSystemError(error)) return { message: describeSystemError(error), hints: [] };
  if (isNativeError(error)) return { message: describeNativeError(error), hints: [] };
  const message = messageOf(error);
  return {
    message: `internal error: ${message}`,
    hints: ['--verbose prints where in perf-ts it happened: please report it with that'],
  };
}

function isNativeError(error: unknown): error is NativeError {
  return error instanceof Error && 'operation' in error && 'errno' in error;
}

function describeNativeError(error: NativeError): string {
  const whom = error.pid > 0 ? ` for process ${error.pid}` : '';
  return `${error.operation} failed${whom}: ${systemErrorReason(error)}`;
}

/** Prints a message on standard error, line by line, nothing that could move the cursor. */
export function notify(text: string): void {
  if (!thisRun().isSilent) notifyAlways(inLocale(text));
}

/** Prints a failure, or a result whose place is standard error, also with `-q`; remarks are wrapped on a terminal. */
export function notifyAlways(text: string): void {
  const columns = drawnTerminal(2)?.columns ?? Number.POSITIVE_INFINITY;
  const lines = text.split('\n').flatMap((line) => wrapRemark(printable(line), columns));
  writeError(lines.map((line) => `${line}\n`).join(''));
}
