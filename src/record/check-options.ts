import { UsageError } from '../base/errors.ts';
import { isStream } from '../system/files/stream-place.ts';
import type { RecordOptions } from './record-options.ts';

/**
 * Throws UsageError for options that cannot be meant together, and TypeError for what JavaScript let
 * through, before anything is opened.
 */
export function checkOptions(options: RecordOptions): void {
  for (const name of ['command', 'events', 'pids', 'tids'] as const) {
    const value: unknown = options[name];
    if (value === undefined || Array.isArray(value)) continue;
    throw new TypeError(`${name}: expected an array, got ${JSON.stringify(value)}`);
  }
  const { systemWide, cpus, perThread, overwrite, counts, cgroup } = options;
  if (perThread && (systemWide || cpus !== undefined)) {
    throw new UsageError('--per-thread follows threads, -a and -C follow CPUs', [
      'leave one of them out',
    ]);
  }
  if (perThread && options.exitCounts) {
    throw new UsageError('-s counts threads and children as they end, --per-thread has none', [
      'leave one of them out',
    ]);
  }
  if (cgroup !== undefined && !systemWide) {
    throw new UsageError(`-G ${cgroup}: a control group is recorded on whole CPUs`, ['add -a']);
  }
  if (options.switchOutput !== undefined) {
    if (isStream(options.output)) {
      throw new UsageError('--switch-output changes files: a stream is one', [
        'name a file with -o',
      ]);
    }
    if (options.maxBytes !== undefined) {
      throw new UsageError('--max-size ends the recording, --switch-output goes on in a new file', [
        'leave one of them out: --switch-max-files bounds how many are kept',
      ]);
    }
  }
  if (options.jitdump && options.nodeFlags === false) {
    throw new UsageError('--jitdump is a flag of V8, --no-node-flags adds none', [
      'leave one of them out',
    ]);
  }
  if (options.jitdump && (options.command?.length ?? 0) === 0) {
    throw new UsageError('--jitdump is for a command: V8 begins a jitdump only when it starts', [
      'perf-ts record --jitdump -- node app.js',
    ]);
  }
  if (options.offCpu === 'only' && options.events !== undefined) {
    throw new UsageError('--off-cpu=only records no events, -e names some', [
      'leave one of them out: --off-cpu records both',
    ]);
  }
  if (options.offCpu && options.samples === false) {
    throw new UsageError('--off-cpu samples switches, -n nothing at all', [
      'leave one of them out',
    ]);
  }
  if (overwrite && counts) {
    throw new UsageError('--overwrite drops samples, --counts needs them all', [
      'leave one of them out',
    ]);
  }
  if (overwrite && options.maxBytes !== undefined) {
    throw new UsageError('--overwrite bounds the samples by the rings: leave --max-size out', [
      'the size of a ring is -m',
    ]);
  }
}
