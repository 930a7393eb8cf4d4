import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import {
  groupByBoth,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import { unsampledWithin } from '../../profile/sampled-time.ts';
import type { Profile, ProfileEvent, ProfileThread, Weights } from '../../profile/types.ts';
import { doubtNotes, type ExportProvenance } from './export-provenance.ts';
import {
  addProgramMarkers,
  MARKER_SCHEMA,
  MarkerColumns,
  recordingMarkers,
  switchMarkers,
} from './firefox-markers.ts';
import { CATEGORIES, FirefoxTables } from './firefox-tables.ts';
import { NO_SWITCHES, type RecordingMarks } from './recording-marks.ts';
import { TextBuffer } from './text-buffer.ts';
import { weightTitle, withUnitOf } from './weight-title.ts';

/** Versions of the processed format and of the raw format behind it. */
const PROCESSED_VERSION = 70;
const GECKO_VERSION = 36;

/** Tracks that are open at first: the heaviest, as many as a screen holds. */
const VISIBLE_TRACKS = 16;

export type FirefoxOptions = {
  readonly select?: SampleSelection;
  readonly exporter?: string;
  readonly marks?: RecordingMarks;
  /** When the recording began: nanoseconds since 1970. Absent: not known, shown as 1970. */
  readonly startWallNs?: bigint;
  readonly provenance?: ExportProvenance;
};

/**
 * Writes a processed profile of the Firefox Profiler, version 70
 * ([types](https://github.com/firefox-devtools/profiler/blob/main/src/types/profile.ts)):
 *
 *   { "meta", "libs", "threads": [{ "name", "pid", "tid", "samples", "markers", … }], "shared" }
 *
 * A thread there has one table of samples, so each event of a thread becomes a separate thread.
 * Times are true times, so the time axis is one, unlike speedscope's.
 *
 * Weights. The format has `samples`, `tracing-ms` and `bytes`. Nanoseconds go as `tracing-ms`: they
 * are time. All else goes as `samples`, the one that is only a number, and the viewer calls them
 * samples: so a thread's name gives the unit. A clock also gives the CPU usage of its thread.
 *
 * What was lost is a sample of `[lost]` at the time of the sample that ended the gap. What befell
 * the recording as a whole is in a thread without samples, `recording`.
 */
export function writeFirefox(
  profile: Profile,
  weights: Weights,
  options: FirefoxOptions,
  write: (text: string) => void,
): void {
  const buffer = new TextBuffer(write);
  const tables = new FirefoxTables(profile);
  const marks = options.marks ?? { losses: [], throttles: [], reRamps: [], switches: NO_SWITCHES };
  const samples = finish(selectSamples(profile, options.select));
  const selected = options.select?.event;
  const shown = selected === undefined ? [...profile.events.keys()] : [selected];
  const tracks = splitIntoTracks(profile, weights, samples);
  const befell = recordingMarkers(profile, marks, shown, tables);
  const markersOf = switchMarkers(profile, marks.switches, tables);
  addProgramMarkers(profile, tables, markersOf);

  const visible = [...tracks.keys()]
    .toSorted((a, b) => tracks[b].share - tracks[a].share)
    .slice(0, VISIBLE_TRACKS);
  if (befell.length > 0) visible.push(tracks.length);
  // The first event's heaviest thread: shares of different events do not compare.
  const selectedTrack = visible.find((index) => tracks[index]?.event === shown[0]) ?? visible[0];
  const views = {
    initialVisibleThreads: visible,
    ...(selectedTrack !== undefined && { initialSelectedThreads: [selectedTrack] }),
  };
  const meta = { ...metaOf(profile, weights, shown, options), ...views };
  buffer.add(`{"meta":${JSON.stringify(meta)}`);
  buffer.add(`,\n"libs":${JSON.stringify(tables.libs())}`);
  buffer.add(',\n"threads":[');
  const ids = threadIds(profile);
  const pausedRanges = describePauses(profile);
  const marked = new Set<number>();
  for (const [index, track] of tracks.entries()) {
    if (index > 0) buffer.add(',');
    // Off-CPU times belong to the thread, whatever its events: once is enough.
    const markers = marked.has(track.thread) ? undefined : markersOf.get(track.thread);
    marked.add(track.thread);
    const columns = markers ?? new MarkerColumns(tables);
    writeThread(profile, weights, track, ids[track.thread], columns, pausedRanges, buffer);
  }
  if (befell.length > 0) {
    if (tracks.length > 0) buffer.add(',');
    const name = JSON.stringify('recording');
    writeHead(buffer, {
      name,
      processName: name,
      pid: 'recording',
      tid: 'recording',
      isMain: true,
      pausedRanges,
    });
    buffer.add('"samples":{"length":0,"stack":[],"time":[],"weight":null,"weightType":"samples"}');
    buffer.add(',"markers":');
    befell.write(buffer);
    buffer.add('}');
  }
  buffer.add('],\n"shared":');
  tables.write(buffer);
  buffer.add('}\n');
  buffer.flush();
}

/** The samples of one thread and event: a thread of the file. */
type Track = {
  readonly thread: number;
  readonly event: number;
  /** Samples in time order. */
  readonly samples: Int32Array;
  /** Share of the event's whole weight, 0…1. */
  readonly share: number;
  readonly isFirstOfThread: boolean;
};

function splitIntoTracks(profile: Profile, weights: Weights, samples: Int32Array): Track[] {
  const { thread, event } = profile.samples;
  const ofEvents = new Float64Array(profile.events.length);
  const weightOf = (row: number) => weights.values[row] + (weights.lostBefore?.[row] ?? 0);
  for (let i = 0; i < samples.length; i++) ofEvents[event[samples[i]]] += weightOf(samples[i]);
  const keys = [
    [thread, profile.threads.length],
    [event, profile.events.length],
  ] as const;
  const tracks: Track[] = [];
  for (const rows of finish(groupByBoth(samples, ...keys))) {
    const ofTrack = { thread: thread[rows[0]], event: event[rows[0]] };
    let weight = 0;
    for (let i = 0; i < rows.length; i++) weight += weightOf(rows[i]);
    const share = weight / (ofEvents[ofTrack.event] || 1);
    const isFirstOfThread = tracks.at(-1)?.thread !== ofTrack.thread;
    tracks.push({ ...ofTrack, samples: rows, share, isFirstOfThread });
  }
  return tracks;
}

function writeThread(
  profile: Profile,
  weights: Weights,
  track: Track,
  ids: ThreadIds,
  markers: MarkerColumns,
  pausedRanges: string,
  buffer: TextBuffer,
): void {
  const { pid, tid, comm } = profile.threads[track.thread];
  const event = profile.events[track.event];
  const { unit } = withUnitOf(event, weights);
  const what = weights.kind === 'samples' ? event.name : `${event.name}, ${unit}`;
  writeHead(buffer, {
    name: JSON.stringify(printable(`${comm} (${what})`)),
    processName: JSON.stringify(printable(ids.processName)),
    pid: ids.pid,
    tid: track.isFirstOfThread ? ids.tid : `${ids.tid} event ${track.event}`,
    isMain: pid === tid && track.isFirstOfThread,
    pausedRanges,
  });
  writeSamples(profile, weights, track, unit, buffer);
  buffer.add(',\n"markers":');
  markers.write(buffer);
  buffer.add('}');
}

/** Times in which no event was enabled, in milliseconds as the format has them: what a thread did then is not known. */
function describePauses({ meta, samples }: Profile): string {
  const toNs = samples.length === 0 ? 0 : samples.timeNs[samples.length - 1];
  const ranges = unsampledWithin(meta.sampled, { fromNs: 0, toNs });
  return JSON.stringify(
    ranges.map((range) => ({
      startTime: range.fromNs / 1e6,
      endTime: range.toNs / 1e6,
      reason: 'profiler-paused',
    })),
  );
}

function writeHead(
  buffer: TextBuffer,
  head: {
    name: string;
    processName: string;
    pid: string;
    tid: number | string;
    isMain: boolean;
    pausedRanges: string;
  },
): void {
  buffer.add(
    `\n{"processType":"default","processStartupTime":0,"processShutdownTime":null,` +
      `"registerTime":0,"unregisterTime":null,"pausedRanges":${head.pausedRanges},"showMarkersInTimeline":true,` +
      `"name":${head.name},"isMainThread":${head.isMain},"processName":${head.processName},` +
      `"pid":"${head.pid}","tid":${JSON.stringify(head.tid)},\n`,
  );
}

// Hot: once per sample and column.
function writeSamples(
  profile: Profile,
  weights: Weights,
  { samples: rows, event }: Track,
  unit: Weights['unit'],
  buffer: TextBuffer,
): void {
  const { stack, timeNs } = profile.samples;
  const { lostStack } = profile;
  const { lostBefore } = weights;
  const isTime = unit === 'nanoseconds';
  const scale = isTime ? 1e-6 : 1;
  let length = 0;
  const lostAt = (row: number) => (lostBefore === undefined ? 0 : lostBefore[row]);
  const column = (
    name: string,
    cellAt: (row: number) => number | null,
    lostCellAt: (row: number) => number | null,
  ) => {
    buffer.add(`,"${name}":[`);
    length = 0;
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i];
      if (lostAt(row) > 0) {
        buffer.add(length++ === 0 ? `${lostCellAt(row)}` : `,${lostCellAt(row)}`);
      }
      buffer.add(length++ === 0 ? `${cellAt(row)}` : `,${cellAt(row)}`);
    }
    buffer.add(']');
  };
  const stackAt = (row: number) => (stack[row] < 0 ? null : stack[row]);
  const timeAt = (row: number) => Math.round(timeNs[row]) / 1e6;
  const valueAt = (row: number) => weights.values[row];
  buffer.add(
    `"samples":{"weightType":"${isTime ? 'tracing-ms' : unit === 'bytes' ? unit : 'samples'}"`,
  );
  column('stack', stackAt, () => lostStack);
  column('time', timeAt, timeAt);
  column(
    'weight',
    (row) => valueAt(row) * scale,
    (row) => lostAt(row) * scale,
  );
  if (isTime && profile.events[event].unit === 'nanoseconds') {
    // Nanoseconds since the sample before; no time passes between a gap's end and its sample.
    column(
      'threadCPUDelta',
      (row) => (lostAt(row) > 0 ? null : valueAt(row)),
      (row) => lostAt(row) + valueAt(row),
    );
  }
  buffer.add(`,"length":${length}}`);
}

function metaOf(
  profile: Profile,
  weights: Weights,
  shown: readonly number[],
  { exporter = 'perf-ts', startWallNs, provenance }: FirefoxOptions,
): object {
  const { meta, events, samples } = profile;
  const lastNs = samples.length === 0 ? 0 : samples.timeNs[samples.length - 1];
  const names = shown.map((event) => events[event].name).join(', ');
  const isTime = shown.every((event) => withUnitOf(events[event], weights).unit === 'nanoseconds');
  const title = weightTitle({ ...weights, ...(isTime && { unit: 'nanoseconds' }) });
  const notes = [
    ...(provenance?.events ?? []).flatMap(({ event, sentences }) =>
      sentences.map((it) => `${event}: ${it}`),
    ),
    ...doubtNotes(provenance),
    ...meta.notes,
  ];
  return {
    interval: intervalMs(events[shown[0] ?? 0]),
    startTime: startWallNs === undefined ? 0 : Number(startWallNs / 1000n) / 1e3,
    profilingStartTime: 0,
    profilingEndTime: Math.round(lastNs) / 1e6,
    processType: 0,
    product: printable(meta.commandLine.length > 0 ? meta.commandLine.join(' ') : names),
    importedFrom: exporter,
    stackwalk: 1,
    debug: false,
    version: GECKO_VERSION,
    preprocessedProfileVersion: PROCESSED_VERSION,
    platform: 'Linux',
    oscpu: printable(`Linux ${meta.kernel ?? ''} ${meta.arch ?? ''}`.trim()),
    symbolicated: true,
    symbolicationNotSupported: true,
    usesOnlyOneStackType: false,
    sourceCodeIsNotOnSearchfox: true,
    categories: CATEGORIES,
    markerSchema: MARKER_SCHEMA,
    sampleUnits: { time: 'ms', eventDelay: 'ms', threadCPUDelta: 'ns' },
    keepProfileThreadOrder: true,
    extra: [
      {
        label: 'perf-ts',
        entries: [
          { label: 'Events', format: 'string', value: printable(names) },
          { label: 'Weight', format: 'string', value: printable(title) },
          ...notes.map((note) => ({ label: 'Note', format: 'string', value: printable(note) })),
        ],
      },
    ],
  };
}

/** Time between two samples, as far as there is one. */
function intervalMs(event: ProfileEvent | undefined): number {
  if (event?.mode === 'clock' && event.fixedPeriod) return event.fixedPeriod / 1e6;
  return event?.frequencyHz ? 1e3 / event.frequencyHz : 1;
}

/** The ids of a thread in a file where every pid means one process and every tid one thread. */
type ThreadIds = {
  readonly pid: string;
  readonly tid: number | string;
  /** Comm of the process's main thread; of the thread itself where that was not sampled. */
  readonly processName: string;
};

/**
 * Ids by row of `profile.threads`. They are the kernel's, as long as each was used once. A pid that
 * had an exec, or was given out again, is followed by the generation, `77.1`; a tid that came
 * again, by how many times: `78 use 2`.
 */
function threadIds({ threads }: Profile): ThreadIds[] {
  const generationsOf = new Map<number, Set<number>>();
  const usesOfTid = new Map<number, number>();
  const mainCommOf = new Map<string, string>();
  for (const { pid, tid, generation, comm } of threads) {
    const generations = generationsOf.get(pid);
    if (generations === undefined) generationsOf.set(pid, new Set([generation]));
    else generations.add(generation);
    if (pid === tid) mainCommOf.set(`${pid}.${generation}`, comm);
  }
  return threads.map(({ pid, tid, generation, comm }: ProfileThread) => {
    const process = `${pid}.${generation}`;
    const use = (usesOfTid.get(tid) ?? 0) + 1;
    usesOfTid.set(tid, use);
    return {
      pid: (generationsOf.get(pid)?.size ?? 1) > 1 ? process : `${pid}`,
      tid: use > 1 ? `${tid} use ${use}` : tid,
      processName: mainCommOf.get(process) ?? comm,
    };
  });
}
