import { UsageError } from '../../base/errors.ts';
import type { RecordSettings } from '../../options/record.ts';
import type { Course } from '../../record/load/drive.ts';
import { parseReadyAddress } from '../../record/load/ready-address.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { notify } from '../shared/failure.ts';
import type { AskedRecording } from './asked-recording.ts';

const READY_TIMEOUT_MS = 60_000;

/** The course of `--ready`, `--load` and `--until-idle`; null without any of them. */
export function readCourse(asked: AskedRecording, options: RecordSettings): Course | null {
  const { ready, readyTimeoutMs = READY_TIMEOUT_MS, load, untilIdleMs: idleMs } = asked;
  if (ready === undefined && load === undefined && idleMs === undefined) return null;
  const pids = options.pids ?? [];
  if (idleMs !== undefined && options.command === undefined && pids.length === 0) {
    throw new UsageError('--until-idle watches processes, and none is named', [
      'name a command, or processes with -p',
    ]);
  }
  return {
    ready: ready === undefined ? null : { address: parseReadyAddress(ready), text: ready },
    readyTimeoutMs,
    load: load ?? null,
    loadUser: chooseUser(options),
    idleMs: idleMs ?? null,
    durationMs: options.durationMs ?? null,
    pids,
    notify: (notice) => {
      if (!asked.quiet) notify(`perf-ts: ${notice}`);
    },
  };
}

/** The options of the recording that follows a course: what the course times, they do not. */
export function optionsForCourse(options: RecordSettings, course: Course): RecordSettings {
  const { durationMs: _timedByCourse, ...rest } = options;
  return course.ready === null ? rest : { ...rest, startDisabled: true };
}
