import { EXIT, signalStatus } from '../../base/exit-status.ts';
import type { CommandExit } from '../../record/recording.ts';
import { notify } from './failure.ts';

/** The status a shell gives the command: its exit status, 128 + n when it died of signal n. */
export function commandStatus({ status, signal }: CommandExit): number {
  if (signal > 0) return signalStatus(signal);
  if (status >= 0) return status;
  notify("perf-ts: the command's exit status is not known: the system did not hand it over");
  return EXIT.FAILED;
}
