/** Exit statuses of `perf-ts`, as docs/contract.md promises them. Others are the profiled command's own. */
export const EXIT = {
  OK: 0,
  /** `doctor`: recording is not possible here, or the kernel differs from what is claimed of it. Reading: the selection has no sample. */
  NOT_OK: 1,
  /** The command line can't be understood. */
  USAGE: 2,
  /** `record --fail-on-loss` was exceeded, and the command itself ended with 0; `report --fail-on` has met a finding. */
  LOSS: 3,
  /** Understood, but failed. */
  FAILED: 125,
  /** The command was found, and can't be executed. */
  NOT_EXECUTABLE: 126,
  /** There is no such command. */
  NOT_FOUND: 127,
} as const;

/** The status that shells give a program that died of signal number `signal`. */
export function signalStatus(signal: number): number {
  return 128 + signal;
}
