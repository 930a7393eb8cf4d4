import { setTimeout } from 'node:timers/promises';
import { AbortError } from '../base/errors.ts';
import type { RecordOptions, RecordSettings } from '../options/record.ts';
import { giveNotice } from './plan/notices.ts';
import { startRecording } from './recorder.ts';
import type { CommandExit, Recording, RunningRecording } from './recording.ts';

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
 * ```ts
 * import { type RecordOptions, record } from 'perf-ts';
 *
 * const options: RecordOptions = { command: ['node', 'app.js'], freq: 997, callGraph: 'fp' };
 * const { path, totals, exit } = await record(options);
 * console.log(path, totals.samples, exit?.status);
 * ```
 */
export async function record(options: RecordOptions): Promise<FinishedRecording> {
  const running = await startRecording(options);
  const recording = await running.finished;
  await reportRunningCommand(running, options);
  const exit = await running.exited;
  // The command may have run on behind the recording.
  if (options.signal?.aborted) throw new AbortError(options.signal);
  return { ...recording, exit };
}

/** A command that ends together with its recording is not worth a notice. */
const RUNNING_MS = 50;

/** Gives a notice where the command runs on behind its recording (`durationMs`, `maxBytes`): it is waited for. */
export async function reportRunningCommand(
  { childPid, exited }: RunningRecording,
  options: RecordSettings,
): Promise<void> {
  if (childPid < 0) return;
  const isRunning = await Promise.race([exited.then(() => false), setTimeout(RUNNING_MS, true)]);
  if (!isRunning) return;
  const waiting = `waiting for the command (process ${childPid}) to end`;
  giveNotice(options, {
    library: `the recording is complete; ${waiting}: startRecording does not wait, and its signal ends the command`,
    command: `${waiting}; Ctrl-C goes to it, a second one quits without it`,
  });
}
