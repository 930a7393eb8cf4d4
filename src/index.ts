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
export { CounterError, type CounterErrorCode } from './count/counter-error.ts';
export type { CounterGroup, Measured } from './count/counter-group.ts';
export type { CommonEvent, EventNames, EventTable, EventText } from './count/group-names.ts';
export { type Counts, countNumbers, type GroupReading } from './count/group-reading.ts';
export type { Metric, MetricName } from './count/metric.ts';
export { measureOverhead, type Overhead, subtractOverhead } from './count/overhead.ts';
export type { RegionReport } from './count/regions.ts';
export { Regions } from './count/regions.ts';
export { measureRepeated, type Repeated, type RepeatOptions } from './count/repeat.ts';
export type { Spread } from './count/spread.ts';
export { type CpuCapabilities, decodeCapabilities } from './cpu/capabilities.ts';
export { type LeafDump, parseLeafDumps } from './cpu/leaf-dump.ts';
export type {
  CodeGap,
  CodeLocation,
  CodePart,
  FunctionAssembly,
  MissingCode,
} from './disassembly/types.ts';
export type { EventEncoding, EventListSection, ListedEvent } from './events/event-list.ts';
export type { RawCounter, RawCounterSpec } from './events/raw-counter.ts';
export type { EventProvenance, ExportProvenance } from './export/provenance.ts';
export type { ClockName } from './perf-event/clock-ids.ts';
export type { KernelRecord } from './perf-event/record.ts';
export type { PeriodsReport } from './period/report/report.ts';
export type { Completeness, CutStacks } from './profile/completeness.ts';
export type { SampleSelection } from './profile/filter.ts';
export type { FlatReport } from './profile/flat-report.ts';
export type { InstructionWeights } from './profile/instruction-weights.ts';
export { parseTimeRanges, type RecordedTime, type TimeRange } from './profile/time-range.ts';
export type * from './profile/types.ts';
export type { GroupOptions } from './session/count/group-options.ts';
export { openGroup } from './session/count/open-group.ts';
export { threadId } from './session/count/thread-id.ts';
export { type CpuReport, reportCpu } from './session/cpu/cpu-report.ts';
export {
  type CounterValue,
  openPerfmon,
  type Perfmon,
  type PerfmonOptions,
} from './session/cpu/perfmon.ts';
export type { TimeStamp } from './session/cpu/time-stamp.ts';
export type { Check, DoctorReport } from './session/doctor/check.ts';
export { doctor } from './session/doctor/examine.ts';
export type { BuildIdChange, RewriteOptions, RewriteSummary } from './session/inject/options.ts';
export { rewriteRecording } from './session/inject/rewrite-recording.ts';
export type { RecordSelection } from './session/inject/selection.ts';
export { listEventsHere as listEvents } from './session/list/list-events.ts';
export { exportPprof } from './session/read/export-pprof.ts';
export {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportOptions,
  exportProfile,
} from './session/read/export-profile.ts';
export { describeProvenance } from './session/read/facts/describe-provenance.ts';
export { type RecordingInfo, readInfo } from './session/read/facts/recording-info.ts';
export type { OpenProfileOptions } from './session/read/open-options.ts';
export { type OpenedProfile, openProfile } from './session/read/open-profile.ts';
export {
  type DescribedRecord,
  describeRecords,
  type NamedFrame,
  type RecordStreamOptions,
} from './session/read/record-stream.ts';
export { type LiveBatch, type LiveOptions, live } from './session/record/live.ts';
export { type FinishedRecording, record } from './session/record/record.ts';
export type { CallGraph, RecordOptions } from './session/record/record-options.ts';
export {
  type CommandExit,
  type Recording,
  type RunningRecording,
  startRecording,
} from './session/record/recorder.ts';
export { type SelftestOptions, selftest } from './session/selftest/selftest.ts';
export type { SelftestReport } from './session/selftest/types.ts';
export {
  type RunningStat,
  type StatReport,
  type StatResult,
  startStat,
} from './session/stat/stat.ts';
export type { Aggregation, StatOptions, StatTarget } from './session/stat/stat-options.ts';
export type { StatRow } from './session/stat/tally.ts';
export type { CallerNode } from './session/top/caller-sums.ts';
export type { TopRow, TopTable } from './session/top/share-sums.ts';
export type { TableKeys } from './session/top/slice-tables.ts';
export { type RunningTop, startTop } from './session/top/top.ts';
export type { TopEvent, TopOptions, TopReport } from './session/top/top-options.ts';
