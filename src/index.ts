/**
 * perf-ts: record Linux perf events and read recordings, from a program.
 *
 * ```ts
 * import { record, openProfile } from 'perf-ts';
 *
 * const recording = await record({ command: ['./app'], freq: 30_000, callGraph: 'fp' });
 * const profile = await openProfile(recording.path);
 * for (const { func, selfShare } of profile.report().bySymbol.slice(0, 10)) {
 *   console.log(selfShare.toFixed(3), profile.nameOf(func));
 * }
 * ```
 *
 * @packageDocumentation
 */

export { FailedError, PerfDataError, UsageError } from './base/errors.ts';
export type { EventProvenance, ExportProvenance } from './export/provenance.ts';
export type { KernelRecord } from './perf-event/record.ts';
export type { PeriodsReport } from './period/report.ts';
export type { SampleSelection } from './profile/filter.ts';
export type { FlatReport } from './profile/flat-report.ts';
export { parseTimeRanges, type RecordedTime, type TimeRange } from './profile/time-range.ts';
export type * from './profile/types.ts';
export { describeProvenance } from './session/describe-provenance.ts';
export type { Check, DoctorReport } from './session/doctor/check.ts';
export { doctor } from './session/doctor/examine.ts';
export { exportPprof } from './session/export-pprof.ts';
export {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  exportProfile,
} from './session/export-profile.ts';
export type {
  BuildIdChange,
  RecordSelection,
  RewriteOptions,
  RewriteSummary,
} from './session/inject/options.ts';
export { rewriteRecording } from './session/inject/rewrite-recording.ts';
export { type LiveBatch, type LiveOptions, live } from './session/live.ts';
export {
  type OpenedProfile,
  type OpenProfileOptions,
  openProfile,
} from './session/open-profile.ts';
export { type FinishedRecording, record } from './session/record.ts';
export type { CallGraph, ClockName, RecordOptions } from './session/record-options.ts';
export {
  type DescribedRecord,
  describeRecords,
  type NamedFrame,
  type RecordStreamOptions,
} from './session/record-stream.ts';
export {
  type CommandExit,
  type Recording,
  type RunningRecording,
  startRecording,
} from './session/recorder.ts';
export { type RecordingInfo, readInfo } from './session/recording-info.ts';
export { type SelftestOptions, selftest } from './session/selftest/selftest.ts';
export type { SelftestReport } from './session/selftest/types.ts';
