import { AbortError } from '../base/errors.ts';
import type { RecordOptions } from '../options/record.ts';
import { startRecording } from './recorder.ts';
import type { CommandExit, Recording } from './recording.ts';

/** A recording whose command, if there was one, has ended too. */
export type FinishedRecording = Recording & {
  /** How the command ended; null without one. */
  readonly exit: CommandExit | null;
};

/**
 * Records a command, running processes or the whole system into a perf.data file, and resolves when
 * the file is complete and the command has ended, which may be later than the end of the recording by `durationMs`:
 * `startRecording` has a promise for each.
 *
 * Throws `UsageError` for options that contradict each other or an unknown event, `FailedError`
 * (with what to do in `hints`, and the errno's name as `code`) where the kernel, the file system or the
 * command refuses, `AbortError` once `signal` is aborted: the command gets SIGTERM. A write
 * error during the recording does not throw: `endReason` is `write-error`, and what was written
 * is readable.
 *
 * @example
 * const { path, totals } = await record({ command: ['./app'], freq: 30_000, events: ['cycles:u'] });
 */
export async function record(options: RecordOptions): Promise<FinishedRecording> {
  const running = await startRecording(options);
  const [recording, exit] = await Promise.all([running.finished, running.exited]);
  // The command may have run on behind the recording.
  if (options.signal?.aborted) throw new AbortError(options.signal);
  return { ...recording, exit };
}
