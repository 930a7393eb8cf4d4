/**
 * Outcome of a check. `fail`: nothing, or not what was asked for, can be recorded. `warn`:
 * recording works, with less than this machine could give.
 */
export type CheckState = 'ok' | 'warn' | 'fail';

/** One thing that recording depends on, as `perf-ts doctor` found it. */
export type Check = {
  /** Stable key: `paranoid-level`, `hardware-counters` … */
  readonly name: string;
  readonly state: CheckState;
  /** The state of this machine. */
  readonly found: string;
  /** The consequence. */
  readonly matters: string;
  /** Commands or steps, in the order of trial; empty where nothing is to be done. */
  readonly fix: readonly string[];
};

/** The findings of `perf-ts doctor`; `--json` prints them with the user's defaults. */
export type DoctorReport = {
  readonly schema: 'perf-ts/doctor@1';
  /** Own programs can be recorded: no check failed. */
  readonly ready: boolean;
  readonly checks: readonly Check[];
};

/** A check without anything to do. */
export function passed(name: string, found: string, matters: string): Check {
  return { name, state: 'ok', found, matters, fix: [] };
}

/** A check of what this machine could give more of, and how. */
export function warning(
  name: string,
  found: string,
  matters: string,
  fix: readonly string[],
): Check {
  return { name, state: 'warn', found, matters, fix };
}
