import { EXIT } from './exit-status.ts';
import { commandWords, libraryWords, type NamedOption, type Text, words } from './words.ts';

/** Code of a `UsageError` unless another is known. */
const USAGE = 'ERR_INVALID_ARG_VALUE';
/** Code of a `FailedError` that no refusal of the system stands behind. */
const FAILED = 'ERR_OPERATION_FAILED';

/** Message of an error and what to do, with the options that they name for either door. */
export type ErrorText = { readonly message: Text; readonly hints: readonly Text[] };

/** An error whose `message` and `hints` name options by their keys, while `errorText` has them for a terminal too. */
abstract class WordedError extends Error {
  /** Further lines for the user: position, nearest names, what to run. */
  readonly hints: readonly string[];
  readonly #text: ErrorText;

  constructor(message: Text, hints: readonly Text[] = []) {
    super(libraryWords(message) ?? commandWords(message));
    this.hints = hints.map(libraryWords).filter((hint) => hint !== null);
    this.#text = { message, hints };
  }

  static errorText(error: WordedError): ErrorText {
    return error.#text;
  }
}

/** The text that an error was made of: to print it in the words of a door, or to add a hint. */
export function errorText(error: WordedError): ErrorText {
  return WordedError.errorText(error);
}

/** An error as a command line prints it: options go by their flags. */
export function atCommand(error: WordedError): {
  readonly message: string;
  readonly hints: readonly string[];
} {
  const { message, hints } = errorText(error);
  return { message: commandWords(message), hints: hints.map(commandWords) };
}

/**
 * The command line, an event name or an option can't be understood: exit status `EXIT.USAGE`.
 *
 * @example
 * ```ts
 * import { record, UsageError } from 'perf-ts';
 *
 * await record({ command: ['node', 'app.js'], events: ['page-fault'] }).catch((error) => {
 *   if (!(error instanceof UsageError)) throw error;
 *   console.log(error.message, error.hints);
 * });
 * ```
 */
export class UsageError extends WordedError {
  /** `ERR_INVALID_ARG_VALUE`, as in Node. */
  readonly code: string;

  constructor(message: Text, hints: readonly Text[] = [], code: string = USAGE) {
    super(message, hints);
    this.name = 'UsageError';
    this.code = code;
  }
}

/**
 * Understood but failed: permission, no such file, write error. Exit status `EXIT.FAILED` unless given.
 *
 * @example
 * ```ts
 * import { FailedError, record } from 'perf-ts';
 *
 * await record({ command: ['nosuch-program'] }).catch((error) => {
 *   if (!(error instanceof FailedError)) throw error;
 *   console.log(error.code, error.message, error.hints); // ENOENT …
 * });
 * ```
 */
export class FailedError extends WordedError {
  /** The name of the errno where the system refused, `EACCES`; else `ERR_OPERATION_FAILED`. */
  readonly code: string;
  readonly exitStatus: number;

  constructor(
    message: Text,
    hints: readonly Text[] = [],
    exitStatus: number = EXIT.FAILED,
    code: string = CODE_OF_STATUS[exitStatus] ?? FAILED,
  ) {
    super(message, hints);
    this.name = 'FailedError';
    this.exitStatus = exitStatus;
    this.code = code;
  }
}

/** The errno behind the statuses of commands that cannot be run. */
const CODE_OF_STATUS: Readonly<Record<number, string>> = {
  [EXIT.NOT_FOUND]: 'ENOENT',
  [EXIT.NOT_EXECUTABLE]: 'EACCES',
};

/** An error that a refusal of the system stands behind: the name of an errno, or an error that may have one. */
export function failedBy(cause: unknown, message: Text, hints: readonly Text[] = []): FailedError {
  const code = typeof cause === 'string' ? cause : (cause as { code?: unknown } | null)?.code;
  const isErrno = typeof code === 'string' && /^E[A-Z0-9]+$/.test(code);
  return new FailedError(message, hints, EXIT.FAILED, isErrno ? code : FAILED);
}

/**
 * Broken input that ends the work. `offset` is the byte in the file where it was noticed, −1 if
 * the input as a whole is meant.
 *
 * @example
 * ```ts
 * import { openProfile, PerfDataError } from 'perf-ts';
 *
 * await openProfile('app.js').catch((error) => {
 *   if (!(error instanceof PerfDataError)) throw error;
 *   console.log(error.code, error.message);
 * });
 * ```
 */
export class PerfDataError extends WordedError {
  readonly code: string;
  readonly offset: number;

  constructor(code: string, message: Text, offset = -1) {
    super(offset >= 0 ? words`${message} (at offset 0x${offset.toString(16)})` : message);
    this.name = 'PerfDataError';
    this.code = code;
    this.offset = offset;
  }

  /** This error, of the input at `path`. */
  at(path: string): PerfDataError {
    const named = new PerfDataError(this.code, words`${path}: ${errorText(this).message}`);
    return Object.assign(named, { offset: this.offset, stack: this.stack });
  }
}

/** The reason that whatever was thrown gives. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Code of a `PerfDataError` of input that takes more than its size explains. */
export const TOO_LARGE = 'too-large';

/** The option of the tables, which lie above this room. */
const MAX_UNPACKED: NamedOption = { inLibrary: 'maxUnpacked', inCommand: '--max-unpacked SIZE' };

/** `what` the input has too much of, and whether that `is` or `are` not read. */
export function tooLarge(what: string, verb: 'is' | 'are'): PerfDataError {
  const message = words`${what}, which ${verb} not read unless ${MAX_UNPACKED} allows it`;
  return new PerfDataError(TOO_LARGE, message);
}

/**
 * A signal has ended what was under way: `AbortError`, as in Node; `cause` is the signal's reason.
 *
 * @example
 * ```ts
 * import { AbortError, record } from 'perf-ts';
 *
 * const signal = AbortSignal.timeout(300);
 * await record({ command: ['node', 'app.js'], signal, output: 'aborted.data' }).catch((error) => {
 *   if (!(error instanceof AbortError)) throw error;
 *   console.log(error.code); // ABORT_ERR; aborted.data has what was recorded until then
 * });
 * ```
 */
export class AbortError extends Error {
  readonly code = 'ABORT_ERR';

  constructor({ reason }: { readonly reason?: unknown }) {
    super('The operation was aborted', { cause: reason });
    this.name = 'AbortError';
  }
}
