import { options, pick } from '../../options/option.ts';
import { RECORD } from '../../options/record.ts';

/** `perf-ts run`: the options of `record` that a first look has use for. */
export const RUN = options({
  ...pick(RECORD, 'events', 'freq', 'count', 'offCpu', 'only', 'memory'),
  ...pick(RECORD, 'pids', 'tids', 'uid', 'systemWide'),
  ...pick(RECORD, 'user', 'asRoot', 'attachJs', 'nodeFlags', 'jitdump', 'callGraph', 'delayMs'),
  ...pick(RECORD, 'durationMs', 'ready', 'readyTimeoutMs', 'load', 'untilIdleMs', 'output'),
  ...pick(RECORD, 'quiet', 'verbose'),
});
