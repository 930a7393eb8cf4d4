import { Diagnostics } from '../base/diagnostics.ts';
import { printable } from '../base/printable.ts';
import { toRawTime } from '../base/u64.ts';
import { addAskers } from '../code/javascript/asking-frames.ts';
import { addAsyncFrames, markAsyncFrames } from '../code/javascript/async-frames.ts';
import { chooseLevel, ProfileLevels } from '../code/levels/levels-of.ts';
import type { DsoIndex } from '../code/process/types.ts';
import type { SymbolSource } from '../code/symbols/symbol-request.ts';
import type { ImportedProfile } from '../formats/import/imported-profile.ts';
import { giveAppendix } from '../formats/perf-data/appendix.ts';
import type { PerfData } from '../formats/perf-data/reader.ts';
import { clockName } from '../kernel/perf-event/clock-ids.ts';
import { checkArguments } from '../options/arguments.ts';
import { checkOptions } from '../options/check.ts';
import type { ExportFormat, ExportOptions } from '../options/export.ts';
import { OPEN, type OpenProfileOptions, type ReadSoFar } from '../options/reading.ts';
import type { PeriodInput, StreamFinal } from '../period/types.ts';
import { computeFlatReport } from '../profile/analysis/flat-report.ts';
import { findEvents } from '../profile/find-events.ts';
import { addLeafLabels } from '../profile/leaf-labels.ts';
import { turnsOfWaits } from '../profile/off-cpu/turns-of-waits.ts';
import { addWaitReasons } from '../profile/off-cpu/wait-reasons.ts';
import type { ProfileParts } from '../profile/profile-builder.ts';
import { unsampledWithin } from '../profile/sampled-time.ts';
import type { TurnTable } from '../profile/turn-table.ts';
import { joinTurns } from '../profile/turns-between.ts';
import type { Profile, SampleTable } from '../profile/types.ts';
import { isMeasuredEvent, isMemoryEvent } from '../profile/wait-event.ts';
import { debugLog } from '../system/debug-log.ts';
import { type CodeObjects, noteCodeObjects } from './code/code-dump.ts';
import type { CodeSourcesOptions } from './code/code-sources.ts';
import { FunctionCode } from './code/function-code.ts';
import { coreTypesOf } from './facts/core-types.ts';
import { cutOffset } from './facts/data-findings.ts';
import {
  describeEvents,
  eventName,
  isAuxiliaryEvent,
  withRecordedPeriods,
} from './facts/event-description.ts';
import {
  namesOnSeveralCores,
  overwrittenGaps,
  type Provenance,
  readKernelSymbols,
  readProvenance,
  ringsOf,
  sampledSpansOf,
  totalsOf,
} from './facts/provenance.ts';
import { gatherFacts, NO_FACTS } from './facts/recording-facts.ts';
import type { FileSource } from './files/fd-source.ts';
import { fetchFiles } from './files/fetch-files.ts';
import { withArchive } from './files/find-archive.ts';
import { StoredFiles } from './files/stored-files.ts';
import { addHeapSamples } from './heap-samples.ts';
import { nameJavaScript } from './jit/javascript.ts';
import { openJitCode, storedJitdump } from './jit/jit-files.ts';
import { settleJitFrames } from './jit/jit-settle.ts';
import {
  decodeLoops,
  openAskedWork,
  readLoopStreams,
  readPoolSamples,
} from './jit/loop-streams.ts';
import { workInSamples } from './jit/pool-work.ts';
import { joinCoreEvents, joinTimedEvents, type ProfileByEvent } from './join-profiles.ts';
import { type Reading, readOrRecall } from './kept-profile.ts';
import { hasStacks } from './locate-frames.ts';
import { moveCountStarts } from './logs/count-start.ts';
import { nameFrames } from './name-frames.ts';
import { openImport } from './open-import.ts';
import { openRecording, withRecording, withSourceOpen } from './open-recording.ts';
import { AnalysedProfile } from './outputs/analysed-profile.ts';
import { exportProfile } from './outputs/export-profile.ts';
import { Pipeline } from './pipeline.ts';
import { openUnwinder } from './unwind/open-unwinder.ts';

const debug = debugLog('read');

/** A profile of a file, which can be exported as well. */
export class OpenedProfile extends AnalysedProfile {
  /** The profile in one of the formats, as one text; `exportProfile` writes it in pieces. */
  export(format: ExportFormat, options: ExportOptions = {}): string {
    let text = '';
    exportProfile(this, format, options, (part) => {
      text += part;
    });
    return text;
  }
}

/**
 * Reads a perf.data file: every record, in time order, into a profile. Files of other
 * tools (`formats/import`) are known by their content.
 *
 * Throws `UsageError` for options that are none, `FailedError` if a file can't be read and `PerfDataError` if it is
 * not perf.data. What
 * is broken within is counted in `diagnostics`.
 *
 * @example
 * ```ts
 * import { type JavaScriptOptions, type OpenProfileOptions, openProfile } from 'perf-ts';
 *
 * const javaScript: JavaScriptOptions = { frames: 'all', sourceMaps: false };
 * const options: OpenProfileOptions = { ...javaScript, lines: true };
 * const opened = await openProfile('perf.data', options);
 * for (const { func, selfShare } of opened.report().bySymbol.slice(0, 3)) {
 *   console.log(`${(selfShare * 100).toFixed(1)}% ${opened.nameOf(func)}`);
 * }
 * ```
 *
 * @example
 * ```ts
 * import { openProfile, type TurnReport, type TurnsOptions } from 'perf-ts';
 *
 * const opened = await openProfile('perf.data');
 * const slow: TurnsOptions = { over: 50, limit: 10 };
 * const report: TurnReport | null = opened.turns(slow);
 * for (const { turn, parts } of report?.slowest ?? []) {
 *   console.log(turn, parts.map(({ func }) => opened.nameOf(func)).join());
 * }
 * ```
 */
export async function openProfile(
  path: string,
  options: OpenProfileOptions = {},
): Promise<OpenedProfile> {
  checkArguments({ path });
  checkOptions(OPEN, options, 'openProfile');
  return openedOf(await readOrRecall(path, options, () => readProfile(path, options)), options);
}

/** Opens a recording that is being written, with the appendix that it would end with now; empty: with that of its file. */
export async function openGrowing(
  path: string,
  options: OpenProfileOptions,
  appendix: Uint8Array,
): Promise<OpenedProfile> {
  return openedOf(await readProfile(path, options, appendix), options);
}

function openedOf(reading: Reading, options: OpenProfileOptions): OpenedProfile {
  const { recorded, facts = NO_FACTS } = reading;
  const frames = chooseLevel(recorded, options.frames);
  return new OpenedProfile({ ...reading, facts: { ...facts, frames } });
}

/** Reads the file and all that names its code. */
export function readProfile(
  path: string,
  options: OpenProfileOptions,
  appendix?: Uint8Array,
): Promise<Reading> {
  return withSourceOpen(path, async (source) => {
    const { onProgress, maxUnpacked } = options;
    const onShare = onProgress && ((share: number) => onProgress('records', share));
    const onShareOfRecords = (share: number, pipeline: Pipeline): void =>
      onProgress?.('records', share, () => readSoFar(pipeline, path, sources));
    const imported = openImport(source, { maxUnpacked, onShare });
    if (imported !== null) {
      debug?.(`${path}: a text of the format ${imported.format}`);
      onProgress?.('tables', null);
      return finishImport(imported, options);
    }
    const sources = withArchive(path, options);
    const pipeline = runPipeline(source, path, sources, onProgress && onShareOfRecords, appendix);
    debug?.(`${path}: all records are read`);
    const servers = sources.debuginfod ?? [];
    if (servers.length > 0) {
      await fetchFiles(pipeline, sources, servers, (share) => onProgress?.('downloads', share));
    }
    if (sources.symbols !== false) nameFrames(pipeline, path, sources);
    debug?.(`${path}: frames are symbolized`);
    const opened = finish(pipeline, path, sources);
    debug?.(`${path}: ${opened.recorded.samples.length} samples, the profile is complete`);
    return opened;
  });
}

/**
 * Throws `UsageError` for an event that the recording does not have, before all of it is read. The events of a stream, and
 * those that are made of several, are known only at its end.
 */
function checkEvent(
  { attrs, pipe }: PerfData,
  { event, join }: OpenProfileOptions,
  path: string,
): void {
  if (event === undefined || join === true || pipe) return;
  const names = attrs.filter((attr) => !isAuxiliaryEvent(attr)).map(eventName);
  if (!names.some((name) => name.includes('/'))) findEvents(names, event, [], printable(path));
}

/** Reads all records of the recording at `path`; `onShare` gets the share that was read, and what reads them. */
export function runPipeline(
  source: FileSource,
  path: string,
  options: OpenProfileOptions,
  onShare?: (share: number, pipeline: Pipeline) => void,
  appendix: Uint8Array = new Uint8Array(),
): Pipeline {
  const data = openRecording(source, options.maxUnpacked);
  if (appendix.length > 0) giveAppendix(data, appendix);
  checkEvent(data, options, path);
  const pipeline = Pipeline.open(data);
  const { attrs, features } = data;
  debug?.(
    `${path}: ${source.size} bytes, ${attrs.length} events, arch ${features.arch ?? 'unknown'}`,
  );
  if (options.symbols !== false) {
    const { data, processes, diagnostics } = pipeline;
    pipeline.jit = openJitCode({ ...options, data, processes, diagnostics, path });
  }
  if (options.unwind !== false) pipeline.unwinder = openUnwinder(pipeline, options);
  // Damage is counted where the tables are read.
  const inPool = readPoolSamples(data, new Diagnostics());
  const findsWork = (pipeline.unwinder?.poolSamples ?? null) !== null;
  if (inPool !== null || findsWork) pipeline.askedWork = openAskedWork(data, inPool);
  onShare?.(0, pipeline);
  pipeline.run(onShare && ((share) => onShare(share, pipeline)));
  pipeline.unwinder?.close();
  addHeapSamples(pipeline);
  return pipeline;
}

/** Adds up what was read so far, with names and problems of its own: the profile in the end is as if nobody had asked. */
function readSoFar(
  pipeline: Pipeline,
  path: string,
  { onProgress: _, ...options }: OpenProfileOptions,
): ReadSoFar | null {
  const { data, processes, jit, builder } = pipeline;
  const diagnostics = new Diagnostics();
  const parts = partsOf(pipeline, readProvenance(data));
  const names = parts.events.map(({ name }) => name);
  const event = options.event === undefined ? 0 : findEvents(names, options.event)[0];
  if (options.join || event === undefined || isMeasuredEvent(parts.events[event])) return null;
  const summed = builder.sumSoFar(event, parts, (small) => {
    const machine = { data, processes, jit, diagnostics, builder: small };
    if (options.symbols !== false) nameFrames(machine, path, options);
  });
  const named = nameJavaScript(summed, options, diagnostics, { data, path }).profile;
  const profile = new ProfileLevels(named).at(chooseLevel(named, options.frames));
  const { length, periodEvents } = profile.samples;
  const weights = { kind: 'events', unit: parts.events[event].unit, areSums: true } as const;
  const rows = Int32Array.from({ length }, (_, row) => row);
  const values = Float64Array.from(periodEvents);
  return { profile, report: computeFlatReport(profile, { ...weights, values }, rows) };
}

/**
 * The paths of scripts, source maps and sources in which functions of the recording at `path` were found; empty without
 * code of a JIT. Nothing else can be asked of the pipeline afterwards.
 */
export function scriptFilesOf(
  pipeline: Pipeline,
  path: string,
  options: OpenProfileOptions,
): ReadonlySet<string> {
  const files = new Set<string>();
  const { builder, processes } = pipeline;
  const isJit = (dso: number): boolean =>
    processes.dsos.key(dso as DsoIndex).kind === 'jit' &&
    builder.frames.addresses(dso as DsoIndex).frames.length > 0;
  if (!Array.from({ length: processes.dsos.length }, (_, dso) => dso).some(isJit)) return files;
  nameFrames(pipeline, path, options);
  finish(pipeline, path, options, (file) => files.add(file));
  return files;
}

/** A text's samples count for the periods that it has: nothing tells its streams apart. */
function finishImport(
  { format, profile, diagnostics }: ImportedProfile,
  options: OpenProfileOptions,
): Reading {
  const { samples, events, streams, threads, losses } = profile;
  const recorded = nameJavaScript(profile, options, diagnostics, null).profile;
  return {
    recorded,
    periodInput: { samples, events, streams, threads, losses },
    diagnostics,
    truncatedAt: null,
    facts: { ...NO_FACTS, imported: format },
    hasStacks: false,
  };
}

function finish(
  pipeline: Pipeline,
  path: string,
  options: OpenProfileOptions,
  onScriptFile?: (path: string) => void,
): Reading {
  const { data, diagnostics } = pipeline;
  const step = <Part>(make: () => Part): Part => {
    options.onProgress?.('tables', null);
    return make();
  };
  const tables = step(() => buildTables(pipeline));
  const codeObjects = step(() => settleCode(pipeline, tables.built));
  const { waits, calls, completeness, work, ...recorded } = step(() =>
    gatherRecorded(pipeline, tables),
  );
  const { profile: shown, maps } = step(() => {
    const { profile } = recorded;
    if (options.symbols === false) return { profile, maps: null };
    const asked = addAskers(profile, (row) => pipeline.askedWork?.askedIn(work[row]) ?? []);
    const { profile: woven, count } = addAsyncFrames(asked, () => namesOfLoops(pipeline, asked));
    const named = nameJavaScript(woven, options, diagnostics, { data, path }, onScriptFile);
    const marked = markAsyncFrames({ profile: named.profile, count });
    const labelled = addLeafLabels(marked, calls);
    return { ...named, profile: addWaitReasons(labelled, waits) };
  });
  return step(() => {
    const parts: ProfileByEvent = { ...recorded, profile: shown };
    const { provenance } = tables;
    const ofCores = joinCoreEvents(parts, namesOnSeveralCores(provenance), options.event);
    const { profile, input, facts } = options.join ? joinTimedEvents(ofCores) : ofCores;
    return {
      recorded: profile,
      periodInput: input,
      diagnostics,
      truncatedAt: cutOffset(data),
      facts,
      completeness,
      hasStacks: hasStacks(pipeline),
      code: new FunctionCode({
        ...codeSourcesOf(pipeline, path, options, tables),
        codeObjects,
        sourceMaps: maps,
      }),
    };
  });
}

/** V8's names of the code of processes with marks. */
function* namesOfLoops({ jit }: Pipeline, { marks }: Profile): Iterable<string> {
  for (const pid of new Set(marks?.loops.map(({ pid }) => pid))) yield* jit?.namesOf(pid) ?? [];
}

/** The tables before the samples are complete. Final values may add streams, and the profile lists all of them. */
function buildTables(pipeline: Pipeline): BuiltTables {
  const provenance = readProvenance(pipeline.data);
  const finals = pipeline.finals();
  return { provenance, finals, built: buildProfile(pipeline, provenance) };
}

type BuiltTables = {
  readonly provenance: Provenance | null;
  readonly finals: readonly StreamFinal[];
  readonly built: Profile;
};

/** Completes the samples, and tells apart the code of JITs that they are in. */
function settleCode(pipeline: Pipeline, built: Profile): CodeObjects | null {
  const { jit, diagnostics } = pipeline;
  pipeline.completeSamples(built.samples);
  if (jit === null) return null;
  const codeObjects = noteCodeObjects(built, jit);
  settleJitFrames(built, jit, diagnostics);
  return codeObjects;
}

/** The profile as it was recorded, and what goes beside it. */
function gatherRecorded(pipeline: Pipeline, { built, finals, provenance }: BuiltTables) {
  const { profile: whole, completeness } = pipeline.roots.finish(built);
  const waits = finishWaits(pipeline, whole.samples);
  const { data, diagnostics } = pipeline;
  const calls = finishCalls(pipeline, whole.samples);
  weighPages(whole, provenance?.pageBytes ?? USUAL_PAGE_BYTES);
  const inPool = pipeline.unwinder?.poolSamples?.encode() ?? readPoolSamples(data, diagnostics);
  const loops = decodeLoops(
    readLoopStreams(data, diagnostics),
    data.startTime,
    whole.threads,
    endOf(pipeline, whole.samples),
    diagnostics,
    inPool,
  );
  const turns = withOtherTurns(pipeline, loops.turns, whole);
  const { marks } = loops;
  const profile = { ...whole, ...(turns !== null && { turns }), ...(marks !== null && { marks }) };
  const input = buildPeriodInput(pipeline, profile, finals, provenance);
  const facts = gatherFacts(pipeline, profile, input.throttles ?? []);
  const work = inPool === null ? new Int32Array(0) : workInSamples(inPool);
  return { profile, completeness, waits, calls, input, facts, work };
}

/** Sources of the code of functions, without JIT code and its source maps. */
function codeSourcesOf(
  { processes }: Pipeline,
  path: string,
  options: OpenProfileOptions,
  { built, provenance }: BuiltTables,
): Omit<CodeSourcesOptions, 'codeObjects' | 'sourceMaps'> {
  const { hostname, kernel } = built.meta;
  return {
    path,
    dsos: processes.dsos,
    mappingsOf: (dso) => processes.mappingsOf(dso),
    sources: options,
    kernel: { machine: { hostname, kernel }, reference: processes.kernelReference },
    kernelSymbols: () => readKernelSymbols(provenance),
    storedDumps: (dump, pid) => storedDumpIn(path, dump, pid, options),
  };
}

/** A jitdump that the recording at `path` keeps; null if there is none, or the recording was a pipe. */
function storedDumpIn(
  path: string,
  dump: string,
  pid: number,
  { maxUnpacked }: OpenProfileOptions,
): SymbolSource | null {
  if (path === '-') return null;
  const find = (data: PerfData) =>
    storedJitdump(new StoredFiles(data, new Diagnostics()), dump, pid);
  return withRecording(path, find, { maxUnpacked });
}

/** The tables of the profile; samples are as they were recorded. */
function buildProfile(pipeline: Pipeline, provenance: Provenance | null): Profile {
  const { data, builder, askedWork } = pipeline;
  const parts = partsOf(pipeline, provenance);
  const profile = builder.finish({ ...parts, ...(askedWork && { askedIn: askedWork.stacks() }) });
  const { meta, samples, events } = profile;
  const { sampled } = meta;
  const described = { ...profile, events: withRecordedPeriods(events, samples) };
  if (sampled === undefined || provenance?.countsBegin !== 'dropped') return described;
  const gaps = overwrittenGaps(provenance, toRawTime(data.startTime, 0), samples.timeNs);
  const kept = sampled.flatMap((span) => unsampledWithin(gaps, span));
  return { ...described, meta: { ...meta, sampled: kept } };
}

/** The small tables, as of the record that was read last. */
function partsOf(pipeline: Pipeline, provenance: Provenance | null): ProfileParts {
  const { data, processes, streams, lostSideband } = pipeline;
  const { features } = data;
  const sampled = sampledSpansOf(provenance, toRawTime(data.startTime, 0));
  const rings = ringsOf(provenance);
  return {
    meta: {
      commandLine: features.commandLine ?? [],
      hostname: features.hostname,
      kernel: features.osRelease,
      arch: features.arch,
      startTime: toRawTime(data.startTime, 0).toString(),
      clock: clockOf(data),
      notes: [...(provenance?.notes ?? []), ...pipeline.lossNotes()],
      ...(lostSideband > 0 && { lostSideband }),
      ...(rings !== null && { rings }),
      ...coreTypesOf(data),
      ...(sampled !== null && { sampled }),
      ...(provenance !== null && { recorder: `perf-ts ${provenance.recorder}` }),
    },
    events: describeEvents(data, provenance),
    dsos: processes.dsos.finish(),
    threads: processes.finishThreads(),
    streams,
    losses: pipeline.losses(),
  };
}

/** Turns of event loops that programs timed themselves, and those of other threads by their waits. */
function withOtherTurns(
  { loopWaits }: Pipeline,
  own: TurnTable | null,
  profile: Profile,
): TurnTable | null {
  const known = new Set(tidsOf(own));
  const byCalls = loopWaits.turns(profile, known);
  const byWaits = turnsOfWaits(profile, new Set([...known, ...tidsOf(byCalls)]));
  return joinTurns(joinTurns(own, byCalls), byWaits);
}

function tidsOf(turns: TurnTable | null): readonly number[] {
  return turns?.loops.map(({ tid }) => tid) ?? [];
}

/** Makes samples of the off-CPU event weigh what their threads waited. */
function finishWaits(pipeline: Pipeline, samples: SampleTable) {
  const { switches, offCpu, diagnostics } = pipeline;
  return offCpu.finish(samples, switches.finish(), endOf(pipeline, samples), diagnostics);
}

/** Makes samples of system calls weigh how long they took. */
function finishCalls(pipeline: Pipeline, samples: SampleTable) {
  return pipeline.syscalls.finish(samples, endOf(pipeline, samples), pipeline.diagnostics);
}

const USUAL_PAGE_BYTES = 4096;

/** Makes each page fault of a recording of memory weigh a page. */
function weighPages({ events, samples }: Profile, pageBytes: number): void {
  const isOfMemory = events.map(isMemoryEvent);
  if (!isOfMemory.includes(true)) return;
  const periodEvents = samples.periodEvents as Float64Array;
  for (let row = 0; row < samples.length; row++) {
    if (isOfMemory[samples.event[row]]) periodEvents[row] = pageBytes;
  }
}

/** The time at which the recording ends. */
function endOf({ lastReadNs }: Pipeline, samples: SampleTable): number {
  return Math.max(lastTimeOf(samples), lastReadNs);
}

function buildPeriodInput(
  pipeline: Pipeline,
  { samples, events, threads, losses }: Profile,
  finals: readonly StreamFinal[],
  provenance: Provenance | null,
): PeriodInput {
  const counted = pipeline.totals();
  const names = events.map(({ name }) => name);
  const recorded = totalsOf(provenance, names);
  const runningNs = pipeline.runningTimes.finish(samples.length);
  const threadsRunning = pipeline.threadsRunning.finish(samples.length);
  const input: PeriodInput = {
    samples: {
      ...samples,
      ...(runningNs !== null && { runningNs }),
      ...(threadsRunning !== null && { threadsRunning }),
    },
    events,
    streams: pipeline.streams,
    threads,
    losses,
    throttles: pipeline.throttles.finish(lastTimeOf(samples)),
    finals,
    lossGaps: pipeline.lossGaps,
    eventTotals: events.map((_event, index) => counted[index] ?? recorded[index] ?? null),
    ...(provenance !== null && { kernel: provenance.kernel }),
  };
  const countsBegin = provenance?.countsBegin ?? null;
  return { ...input, finals: moveCountStarts(input, countsBegin, pipeline.forkNs) };
}

function lastTimeOf({ length, timeNs }: SampleTable): number {
  return length > 0 ? timeNs[length - 1] : 0;
}

/** The clock of the record times; `perf` for the kernel's scheduler clock. */
function clockOf(data: PerfData): string {
  const attr = data.attrs[0]?.attr;
  if (attr === undefined || !attr.flags.useClockid) return 'perf';
  return clockName(attr.clockid);
}
