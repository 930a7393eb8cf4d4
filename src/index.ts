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
 * | to | call |
 * | --- | --- |
 * | record into a file | {@link record}; {@link startRecording} to control it while it runs |
 * | sample without a file | {@link live}; {@link startTop} for tables of the last seconds |
 * | read a recording | {@link openProfile}; {@link describeRecords} for single records, {@link readInfo} for its header |
 * | compare recordings | {@link compareRecordings} |
 * | export a profile | {@link exportProfile}, {@link exportPprof} |
 * | profile the own process | {@link profileSelf}; {@link startSelfProfile} to end it by hand |
 * | rewrite a recording | {@link rewriteRecording} |
 * | count a region of the own program | {@link openGroup}, {@link Regions}, {@link measureRepeated} |
 * | count a command or a machine | {@link startStat} |
 * | examine the machine | {@link doctor}, {@link selftest}, {@link listEvents}, {@link reportCpu} |
 *
 * @packageDocumentation
 */

import './system/require-node.ts';

// Errors: a command line that can't be understood, a failure, a damaged file.

export { AbortError, FailedError, PerfDataError, UsageError } from './base/errors.ts';

// Recording: options to a file, or to batches of samples while they arrive.

export type { ClockName } from './kernel/perf-event/clock-ids.ts';
export type { CallGraph } from './options/call-graph.ts';
export type { LiveOptions } from './options/live.ts';
export type { RecordDefaults, RecordOptions, RecordTarget } from './options/record.ts';
export type { UserOptions } from './options/user.ts';
export { type LiveBatch, live } from './record/live.ts';
export { type FinishedRecording, record } from './record/record.ts';
export { startRecording } from './record/recorder.ts';
export type {
  CommandExit,
  Recording,
  RecordingWork,
  RunningRecording,
} from './record/recording.ts';

// Reading: a path to a profile, its tables (`profile/types.ts`) and its reports.

export type { DiagnosticCode } from './base/diagnostic-code.ts';
export type { IntColumn, NumberColumn } from './base/int-column.ts';
export type {
  JavaScriptOptions,
  OnReadingProgress,
  OpenProfileOptions,
  ReadingStage,
  ReadSoFar,
  SymbolSources,
} from './options/reading.ts';
export type { PeriodsReport } from './period/report/report.ts';
export type { DsoRow, FlatReport, SymbolRow } from './profile/analysis/flat-report.ts';
export type { SampleSelection } from './profile/analysis/select/filter.ts';
export type { Completeness, CutStacks } from './profile/analysis/stacks/completeness.ts';
export type {
  AsyncStack,
  ContextTable,
  MarkKind,
  MarkTable,
  ScriptPlace,
} from './profile/mark-table.ts';
export { parseTimeRanges, type RecordedTime, type TimeRange } from './profile/time-range.ts';
export type { ShortTurnTable, TurnLoop, TurnTable } from './profile/turn-table.ts';
export type * from './profile/types.ts';
export type { AwaitRow } from './questions/awaits.ts';
export type { MarkSummary } from './questions/marks.ts';
export type { RequestTimes, RequestTimeTable } from './questions/request-times.ts';
export type { RequestReport, RouteRow, UntoldRow } from './questions/requests.ts';
export type { CommRow, ThreadRow, ThreadTables } from './questions/threads.ts';
export type {
  LoopSummary,
  SlowTurn,
  TurnLengths,
  TurnPart,
  TurnReport,
} from './questions/turns.ts';
export { type ListedRecording, listRecordings } from './read/list-recordings.ts';
export { type OpenedProfile, openProfile } from './read/open-profile.ts';

// Changes from recordings to others: functions, each with the interval of its change.

export type { CompareOptions, TurnsOptions } from './options/arguments.ts';
export type { Change } from './profile/analysis/change.ts';
export type { FunctionChange } from './profile/analysis/compare-functions.ts';
export type { DiffMeasure } from './profile/analysis/diff-measure.ts';
export type { Comparison, ComparisonBy } from './questions/compare.ts';
export {
  type ComparedFile,
  type ComparedRecordings,
  compareRecordings,
} from './read/outputs/compare-recordings.ts';

// Findings: facts to know about a recording before its figures are believed.

export type { DescribedDiagnostic } from './findings/diagnostic-text.ts';
export type { Finding, FindingCode, FindingPlace, Severity } from './findings/finding.ts';
export { findingsOf } from './read/outputs/findings-of.ts';

// Instructions of a function, and what was counted on each.

export type {
  CodeGap,
  CodeLocation,
  CodePart,
  FunctionAssembly,
  MissingCode,
} from './code/disassembly/types.ts';
export type { InstructionWeights } from './questions/instructions.ts';

// Single records and the header of a recording.

export type { KernelRecord } from './kernel/perf-event/record.ts';
export type { ReadInfoOptions } from './options/info.ts';
export type { NamedFrame } from './read/frame-namer.ts';
export { type RecordingInfo, readInfo } from './read/recording-info.ts';
export { describeRecords } from './tools/script/record-stream.ts';
export type { DescribedRecord, RecordStreamOptions } from './tools/script/types.ts';

// Exports: a profile for other tools, and the origin of its numbers.

export type { EventProvenance, ExportProvenance } from './formats/export/export-provenance.ts';
export { EXPORT_FORMATS, type ExportFormat, type ExportOptions } from './options/export.ts';
export { describeProvenance } from './read/outputs/describe-provenance.ts';
export { exportPprof } from './read/outputs/export-pprof.ts';
export { exportProfile } from './read/outputs/export-profile.ts';

// A copy of a recording: made smaller or anonymous, or a part of it.

export type { BuildIdChange, RewriteOptions } from './options/inject.ts';
export type { RecordSelection } from './options/reading.ts';
export { type RewriteSummary, rewriteRecording } from './rewrite/rewrite-recording.ts';

// Counter groups around the calling program's own code.

export { CounterError, type CounterErrorCode } from './counting/count/counter-error.ts';
export type { CounterGroup, Measured } from './counting/count/counter-group.ts';
export type {
  CommonEvent,
  EventNames,
  EventTable,
  EventText,
} from './counting/count/group-names.ts';
export { type Counts, countNumbers, type GroupReading } from './counting/count/group-reading.ts';
export type { Metric, MetricName } from './counting/count/metric.ts';
export { measureOverhead, type Overhead, subtractOverhead } from './counting/count/overhead.ts';
export { type RegionReport, Regions } from './counting/count/regions.ts';
export { measureRepeated, type Repeated } from './counting/count/repeat.ts';
export type { Spread } from './counting/count/spread.ts';
export { openGroup, threadId } from './counting/groups/open-group.ts';
export type {
  GroupOptions,
  OverheadOptions,
  PerfmonOptions,
  RepeatOptions,
} from './options/counting.ts';

// Exact counts of commands, processes, threads, CPUs and control groups.

export {
  type RunningStat,
  type StatReport,
  type StatResult,
  startStat,
} from './counting/stat/stat.ts';
export type { StatTarget } from './counting/stat/stat-options.ts';
export type { StatRow } from './counting/stat/tally.ts';
export type { Aggregation, StatOptions } from './options/stat.ts';

// The own process: recorded, read and exported by a thread of its own.

export type { SelfProfileFormat, SelfProfileOptions } from './options/self.ts';
export { profileSelf, startSelfProfile } from './tools/self/profile-self.ts';
export type { RunningSelfProfile } from './tools/self/self-options.ts';

// This machine all the time: a profile of each service and window, sent where profiles are kept.

export {
  type AgentOptions,
  type RunningAgent,
  startAgent,
} from './tools/agent/agent.ts';
export type {
  AgentConfig,
  SampleLabel,
  SamplingConfig,
  ServiceConfig,
  SinkConfig,
  SinkType,
  SpoolConfig,
} from './tools/agent/config/agent-config.ts';
export { readAgentConfig } from './tools/agent/config/parse-config.ts';
export type { MachineTotals } from './tools/agent/window/machine-sampler.ts';

// Tables of running code, sampled without a file.

export type { TopOptions } from './options/top.ts';
export type { CallerNode } from './tools/top/caller-sums.ts';
export type { TopRow, TopTable } from './tools/top/share-sums.ts';
export type { SliceTableKey } from './tools/top/slice-tables.ts';
export { type RunningTop, startTop } from './tools/top/top.ts';
export type { TopEvent, TopReport } from './tools/top/top-options.ts';

// This machine: what its processor counts, its events, obstacles to recording.

export { type CpuCapabilities, decodeCapabilities } from './counting/cpu/capabilities.ts';
export { type LeafDump, parseLeafDumps } from './counting/cpu/leaf-dump.ts';
export { type CpuReport, reportCpu } from './counting/processor/cpu-report.ts';
export {
  type CounterValue,
  openPerfmon,
  type Perfmon,
} from './counting/processor/perfmon.ts';
export type { TimeStamp } from './counting/processor/time-stamp-counter.ts';
export type { EventEncoding, EventListSection, ListedEvent } from './kernel/events/event-list.ts';
export type { RawCounter, RawCounterSpec } from './kernel/events/raw-counter.ts';
export type { Check, DoctorReport } from './tools/doctor/check.ts';
export { doctor } from './tools/doctor/examine.ts';
export { listEventsHere as listEvents } from './tools/list/list-events.ts';
export { type SelftestOptions, selftest } from './tools/selftest/selftest.ts';
export type { SelftestReport } from './tools/selftest/types.ts';

// The types of Node and of recent ECMAScript that the library's own types name, with what they have everywhere: a
// program compiles without @types/node and without lib.dom. Beside those the declarations are merged.

declare global {
  interface AbortSignal {
    readonly aborted: boolean;
  }
  interface SymbolConstructor {
    readonly dispose: unique symbol;
    readonly asyncDispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
  interface AsyncDisposable {
    [Symbol.asyncDispose](): PromiseLike<void>;
  }
}
