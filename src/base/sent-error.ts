import { FailedError, PerfDataError, UsageError } from './errors.ts';
import { EXIT } from './exit-status.ts';

/** An error between threads, which keep the text of an error but not its class. */
export type SentError = {
  readonly kind: 'usage' | 'failed' | 'perf-data' | 'other';
  readonly message: string;
  readonly stack: string | undefined;
  readonly hints: readonly string[];
  readonly exitStatus: number;
  readonly code: string;
};

export function packError(error: unknown): SentError {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  const sent = { message, stack, hints: [], exitStatus: EXIT.FAILED, code: '' };
  if (error instanceof FailedError) {
    return { ...sent, kind: 'failed', hints: error.hints, exitStatus: error.exitStatus };
  }
  if (error instanceof UsageError) return { ...sent, kind: 'usage', hints: error.hints };
  if (error instanceof PerfDataError) return { ...sent, kind: 'perf-data', code: error.code };
  return { ...sent, kind: 'other' };
}

/** The error as it was thrown; the offset of a `PerfDataError` is in its message. */
export function unpackError({ kind, message, stack, ...sent }: SentError): Error {
  const error = create();
  if (stack !== undefined) error.stack = stack;
  return error;

  function create(): Error {
    switch (kind) {
      case 'failed':
        return new FailedError(message, sent.hints, sent.exitStatus);
      case 'usage':
        return new UsageError(message, sent.hints);
      case 'perf-data':
        return new PerfDataError(sent.code, message);
      case 'other':
        return new Error(message);
    }
  }
}
