import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { FailedError, failedBy } from '../../base/errors.ts';
import { systemErrorReason } from '../../base/system-error.ts';
import { words } from '../../base/words.ts';
import { RECORD } from '../../options/record.ts';
import type { ChosenUser } from '../../system/accounts/run-as.ts';
import { readProcessTree, signalAll } from '../../system/processes/process-tree.ts';
import { callAfter, type LongTimer } from '../../system/time/long-timer.ts';
import type { CommandExit, RunningRecording } from '../recording.ts';
import { IdleWatch } from './idle-watch.ts';
import type { ReadyAddress } from './ready-address.ts';
import { waitUntilReady } from './wait-ready.ts';

/** A recording's course: wait for the server, put it under load, end when the load or the work has. */
export type Course = {
  /** Sampling begins once this answers; null: at once. */
  readonly ready: { readonly address: ReadyAddress; readonly text: string } | null;
  readonly readyTimeoutMs: number;
  /** A line of shell; null: the load comes from elsewhere. */
  readonly load: string | null;
  readonly loadUser: Pick<ChosenUser, 'change' | 'env'>;
  /** Ends after so long without work; null: with the load, or by itself where there is none. */
  readonly idleMs: number | null;
  /** Ends so long after sampling began at the latest; null: no limit. */
  readonly durationMs: number | null;
  /** Processes whose work is watched, beside a command. */
  readonly pids: readonly number[];
  readonly notify: (notice: string) => void;
};

/** Time between two looks at the CPU time that was used. */
const LOOK_MS = 250;
/** A server gets so long to end by SIGTERM. */
const GRACE_MS = 10_000;

/** How a course ended. */
export type Driven = {
  /** Null where there was no load, or where the recording ended before it. */
  readonly load: CommandExit | null;
  /** Its end was reached, and the command was ended with it; false: the recording ended first. */
  readonly isDone: boolean;
};

/**
 * Follows the course until its end, ends the recording and then its command. Throws where the server
 * does not become ready; then the recording and its command have been ended as well.
 */
export async function driveRecording(running: RunningRecording, course: Course): Promise<Driven> {
  const ended = new AbortController();
  const abort = (): void => ended.abort();
  const finished = running.finished.then(abort, abort);
  let limit: LongTimer | null = null;
  try {
    await becomeReady(running, course, ended.signal);
    if (course.durationMs !== null) limit = callAfter(course.durationMs, () => running.stop());
    if (course.load === null && course.idleMs === null) await finished;
    const load =
      course.load === null ? null : await runLoad(course.load, course.loadUser, ended.signal);
    if (load !== null && !ended.signal.aborted)
      course.notify(`the load has ended (${howEnded(load)})`);
    if (course.idleMs !== null) await becomeIdle(running, course, course.idleMs, ended.signal);
    return { load: ended.signal.aborted ? null : load, isDone: !ended.signal.aborted };
  } finally {
    limit?.cancel();
    const endedFirst = ended.signal.aborted;
    running.stop();
    if (!endedFirst) endCommand(running, course.notify);
  }
}

async function becomeReady(
  running: RunningRecording,
  { ready, readyTimeoutMs, notify }: Course,
  ended: AbortSignal,
): Promise<void> {
  if (ready === null) return;
  const startMs = performance.now();
  const limit = AbortSignal.timeout(readyTimeoutMs);
  try {
    await waitUntilReady(ready.address, AbortSignal.any([ended, limit]));
  } catch {
    if (ended.aborted)
      throw new FailedError(
        words`${RECORD.ready} ${ready.text}: the recording ended before it answered`,
      );
    throw new FailedError(
      words`${RECORD.ready} ${ready.text}: no answer within ${readyTimeoutMs / 1000} s`,
      [words`${RECORD.readyTimeoutMs} SECONDS waits longer`, 'what it listens on: ss -ltnp'],
    );
  }
  running.enable();
  notify(`${ready.text} answers after ${seconds(performance.now() - startMs)}: sampling begins`);
}

async function becomeIdle(
  { childPid }: RunningRecording,
  { load, pids, notify }: Course,
  idleMs: number,
  ended: AbortSignal,
): Promise<void> {
  const roots = childPid > 0 ? [childPid, ...pids] : pids;
  const watch = new IdleWatch(idleMs, load !== null);
  while (!ended.aborted) {
    if (watch.add(performance.now(), readProcessTree(roots).cpuMs)) {
      notify(`idle for ${seconds(idleMs)}: the recording ends`);
      return;
    }
    await sleep(LOOK_MS, undefined, { signal: ended }).catch(() => {});
  }
}

/** Ends the command with all that it started: `npm start` alone would leave the server behind. */
function endCommand(
  { childPid, exited }: RunningRecording,
  notify: (notice: string) => void,
): void {
  if (childPid <= 0) return;
  const signal = (number: number) => signalAll(readProcessTree([childPid]).pids, number);
  signal(constants.signals.SIGTERM);
  const force = callAfter(GRACE_MS, () => {
    notify(`the command runs on ${seconds(GRACE_MS)} after SIGTERM: ending it by SIGKILL`);
    signal(constants.signals.SIGKILL);
  });
  void exited.finally(() => force.cancel());
}

function howEnded({ status, signal }: CommandExit): string {
  return signal > 0 ? `by signal ${signal}` : `status ${status}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;
}

/**
 * Runs a line of shell with our streams and resolves when it has ended. It runs as the recorded
 * command does: under sudo as whoever called sudo. Aborting ends it by SIGTERM.
 */
function runLoad(
  line: string,
  { change, env }: Pick<ChosenUser, 'change' | 'env'>,
  signal: AbortSignal,
): Promise<CommandExit> {
  return new Promise((resolve, reject) => {
    const load: ChildProcess = spawn('/bin/sh', ['-c', line], {
      stdio: 'inherit',
      env: { ...process.env, ...env },
      ...(change !== null && { uid: change.uid, gid: change.gid }),
    });
    const end = (): void => {
      load.kill('SIGTERM');
    };
    signal.addEventListener('abort', end, { once: true });
    load.once('error', (error) => {
      signal.removeEventListener('abort', end);
      reject(
        failedBy(
          error,
          words`${RECORD.load}: /bin/sh cannot be started: ${systemErrorReason(error)}`,
        ),
      );
    });
    load.once('exit', (status, name) => {
      signal.removeEventListener('abort', end);
      resolve({ status: status ?? -1, signal: name === null ? 0 : constants.signals[name] });
    });
  });
}
