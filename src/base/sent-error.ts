import { type ErrorText, errorText, FailedError, PerfDataError, UsageError } from './errors.ts';
import { EXIT } from './exit-status.ts';

/** An error between threads, which keep the text of an error but not its class. */
export type SentError = {
  readonly kind: 'usage' | 'failed' | 'perf-data' | 'other';
  readonly stack: string | undefined;
  readonly text: ErrorText;
  readonly exitStatus: number;
  readonly code: string;
};

export function packError(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const text: ErrorText = { message, hints: [] };
  const sent = { stack, text, exitStatus: EXIT.FAILED, code: '' };
  if (error instanceof FailedError) {
    const { exitStatus, code } = error;
    return { ...sent, kind: 'failed', text: errorText(error), exitStatus, code };
  }
  if (error instanceof UsageError) {
    return { ...sent, kind: 'usage', text: errorText(error), code: error.code };
  }
  if (error instanceof PerfDataError) {
    return { ...sent, kind: 'perf-data', text: errorText(error), code: error.code };
  }
  return { ...sent, kind: 'other' };
}

/** The error as it was thrown; the offset of a `PerfDataError` is in its message. */
export function unpackError({ kind, stack, text, exitStatus, code }: SentError): Error {
  const error = create();
  if (stack !== undefined) error.stack = stack;
  return error;

  function create(): Error {
    const { message, hints } = text;
    switch (kind) {
      case 'failed':
        return new FailedError(message, hints, exitStatus, code);
      case 'usage':
        return new UsageError(message, hints, code);
      case 'perf-data':
        return new PerfDataError(code, message);
      case 'other':
        return new Error(String(message));
    }
  }
}
