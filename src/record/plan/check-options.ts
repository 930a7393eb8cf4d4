import { UsageError } from '../../base/errors.ts';
import { commandOnly, words } from '../../base/words.ts';
import { checkOptions, checkTogether } from '../../options/check.ts';
import { refuseExportName } from '../../options/export.ts';
import { RECORD, type RecordSettings } from '../../options/record.ts';
import { isStream } from '../../system/files/stream-place.ts';

const LEAVE_ONE = 'leave one of them out';

/** Throws UsageError for what no recording can be asked for, before anything is opened. */
export function checkRecordOptions(options: RecordSettings): void {
  checkOptions(RECORD, options, 'a recording');
  refuseExportName(RECORD.output, options.output);
  checkCombinations(options);
}

/** The second half of it, for callers whose options have further names: `top`, `live`. */
export function checkCombinations(options: RecordSettings): void {
  checkTogether(RECORD, options);
  const { systemWide, cgroup, jitdump, offCpu } = options;
  if (cgroup !== undefined && !systemWide) {
    throw new UsageError(
      words`${RECORD.cgroup} ${cgroup}: a control group is recorded on whole CPUs`,
      [words`add ${RECORD.systemWide}`],
    );
  }
  if (options.switchOutput !== undefined && isStream(options.output)) {
    throw new UsageError(words`${RECORD.switchOutput} changes files: a stream is one`, [
      words`name a file with ${RECORD.output}`,
    ]);
  }
  if (jitdump && options.nodeFlags === false) {
    throw new UsageError(
      words`${RECORD.jitdump} is a flag of V8, ${RECORD.nodeFlags.as(false)} adds none`,
      [LEAVE_ONE],
    );
  }
  if (jitdump && (options.command?.length ?? 0) === 0) {
    throw new UsageError(
      words`${RECORD.jitdump} is for a command: V8 begins a jitdump only when it starts`,
      [commandOnly('perf-ts record --jitdump -- node app.js')],
    );
  }
  if (offCpu === 'only' && options.events !== undefined) {
    throw new UsageError(
      words`${RECORD.offCpu.as('only')} records no events, ${RECORD.events} names some`,
      [words`leave one of them out: ${RECORD.offCpu} records both`],
    );
  }
  if (offCpu && options.samples === false) {
    throw new UsageError(
      words`${RECORD.offCpu} samples switches, ${RECORD.samples.as(false)} nothing at all`,
      [LEAVE_ONE],
    );
  }
}

/** Sampling begins later than the target: after a time, or when it is asked for. */
export function isDelayed({
  delayMs,
  startDisabled,
}: Pick<RecordSettings, 'delayMs' | 'startDisabled'>): boolean {
  return delayMs !== undefined || startDisabled === true;
}
