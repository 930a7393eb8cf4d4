import { UsageError } from '../../base/errors.ts';
import type { Course } from '../../record/load/drive.ts';
import { parseReadyAddress } from '../../record/load/ready-address.ts';
import type { RecordOptions } from '../../record/record-options.ts';
import { chooseUser } from '../../system/accounts/run-as.ts';
import { notify } from '../shared/failure.ts';
import { positiveNumber } from '../shared/option-values.ts';
import type { RecordFlags } from './record-flags.ts';

const MS = 1000;
const READY_TIMEOUT_S = 60;
const IDLE_S = 2;

/** The course of `--ready`, `--load` and `--until-idle`; null without any of them. */
export function readCourse(flags: RecordFlags, options: RecordOptions): Course | null {
  const { ready, readyTimeout, load, untilIdle } = flags;
  if (readyTimeout !== undefined && ready === undefined) {
    throw new UsageError('--ready-timeout goes with --ready');
  }
  if (ready === undefined && load === undefined && untilIdle === undefined) return null;
  const pids = options.pids ?? [];
  if (untilIdle !== undefined && options.command === undefined && pids.length === 0) {
    throw new UsageError('--until-idle watches processes, and none is named', [
      'name a command, or processes with -p',
    ]);
  }
  if (ready !== undefined && (flags.delay !== undefined || flags.control !== undefined)) {
    const other = flags.delay === undefined ? '--control' : '-D';
    throw new UsageError(`--ready and ${other} both decide when sampling begins`, [
      'leave one of them out',
    ]);
  }
  return {
    ready: ready === undefined ? null : { address: parseReadyAddress(ready), text: ready },
    readyTimeoutMs:
      (readyTimeout === undefined
        ? READY_TIMEOUT_S
        : positiveNumber('--ready-timeout', readyTimeout)) * MS,
    load: load ?? null,
    loadUser: chooseUser(options),
    idleMs: untilIdle === undefined ? null : idleSeconds(untilIdle) * MS,
    durationMs: options.durationMs ?? null,
    pids,
    notify: (notice) => {
      if (flags.quiet !== true) notify(`perf-ts: ${notice}`);
    },
  };
}

/** The options of the recording that follows a course: what the course times, they do not. */
export function optionsForCourse(options: RecordOptions, course: Course): RecordOptions {
  const { durationMs: _timedByCourse, ...rest } = options;
  return course.ready === null ? rest : { ...rest, startDisabled: true };
}

function idleSeconds(untilIdle: string | true): number {
  return untilIdle === true ? IDLE_S : positiveNumber('--until-idle', untilIdle);
}
