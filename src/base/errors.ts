import { EXIT } from './exit-status.ts';

/**
 * Broken input that ends the work. `offset` is the byte in the file where it was noticed, −1 if
 * the input as a whole is meant.
 */
export class PerfDataError extends Error {
  readonly code: string;
  readonly offset: number;

  constructor(code: string, message: string, offset = -1) {
    super(offset >= 0 ? `${message} (at offset 0x${offset.toString(16)})` : message);
    this.name = 'PerfDataError';
    this.code = code;
    this.offset = offset;
  }
}

/** Code of a `PerfDataError` of input that takes more than its size explains. */
export const TOO_LARGE = 'too-large';

/** `what` the input has too much of, and whether that `is` or `are` not read. */
export function tooLarge(what: string, verb: 'is' | 'are'): PerfDataError {
  const message = `${what}, which ${verb} not read unless --max-unpacked SIZE allows it`;
  return new PerfDataError(TOO_LARGE, message);
}

/** The command line, an event name or an option can't be understood: exit status `EXIT.USAGE`. */
export class UsageError extends Error {
  /** Further lines for the user: position, nearest names, what to run. */
  readonly hints: readonly string[];

  constructor(message: string, hints: readonly string[] = []) {
    super(message);
    this.name = 'UsageError';
    this.hints = hints;
  }
}

/** Understood but failed: permission, no such file, write error. Exit status `EXIT.FAILED` unless given. */
export class FailedError extends Error {
  readonly hints: readonly string[];
  readonly exitStatus: number;

  constructor(message: string, hints: readonly string[] = [], exitStatus: number = EXIT.FAILED) {
    super(message);
    this.name = 'FailedError';
    this.hints = hints;
    this.exitStatus = exitStatus;
  }
}
