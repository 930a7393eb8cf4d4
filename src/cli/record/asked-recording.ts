import type { AskedOf } from '../../options/option.ts';
import { forLibrary } from '../../options/read-flags.ts';
import { RECORD, type RecordSettings } from '../../options/record.ts';
import { processesOfUser } from '../../system/processes/processes-of-user.ts';

/** The options that a command line of `record` gives, by their keys. */
export type AskedRecording = AskedOf<typeof RECORD> & {
  /** A report follows in this process. */
  readonly isReported?: boolean;
};

/** The recording that is asked for, of `command`. Throws UsageError. */
export function recordingAsked(command: readonly string[], asked: AskedRecording): RecordSettings {
  const { delayMs, ...rest } = forLibrary(RECORD, asked);
  const { uid, pids, tids, cpus } = asked;
  const isWhenAsked = delayMs !== undefined && delayMs < 0;
  return {
    ...rest,
    ...(command.length > 0 && { command }),
    ...(uid !== undefined && { pids: processesOfUser(uid) }),
    // CPUs mean all that runs on them, unless a process is named.
    ...(cpus !== undefined && (pids ?? tids ?? uid) === undefined && { systemWide: true }),
    ...(asked.exitCounts && { counts: true }),
    ...(isWhenAsked ? { startDisabled: true } : delayMs !== undefined && { delayMs }),
  };
}
