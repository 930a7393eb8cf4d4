import { FailedError } from '../../base/errors.ts';

/**
 * The codes of a `CounterError`:
 *
 *     ERR_CLOSED           used after `close`
 *     ERR_NOT_SCHEDULED    pinned, and not on the PMU when it should have been: it reads as 0 bytes
 *     ERR_SHORT_READ       the kernel gave other bytes than the group's format announces
 *     EACCES, ENOENT …     errno of the call that failed
 */
export type CounterErrorCode = 'ERR_CLOSED' | 'ERR_NOT_SCHEDULED' | 'ERR_SHORT_READ' | `E${string}`;

/**
 * A counter group could not be opened, switched or read.
 *
 * @example
 * ```ts
 * import { CounterError, openGroup } from 'perf-ts';
 *
 * try {
 *   openGroup(['cycles', 'instructions']).close();
 *   console.log('this machine counts cycles');
 * } catch (error) {
 *   if (!(error instanceof CounterError)) throw error;
 *   console.log(error.code, error.event, error.message); // ENOENT cycles …, without a PMU
 * }
 * ```
 */
export class CounterError extends FailedError {
  declare readonly code: CounterErrorCode;
  /** Name by which the event was asked for, null where it is about the group. */
  readonly event: string | null;
  /** The field of `perf_event_attr` or the option that stands in the way, null if not known. */
  readonly field: string | null;

  constructor(
    code: CounterErrorCode,
    message: string,
    hints: readonly string[] = [],
    about: { readonly event?: string | null; readonly field?: string | null } = {},
  ) {
    super(message, hints, undefined, code);
    this.name = 'CounterError';
    this.event = about.event ?? null;
    this.field = about.field ?? null;
  }
}
