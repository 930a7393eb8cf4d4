import { NONE } from '../../base/brand.ts';
import { lostSamplesOf, lostSamplesText } from '../../base/lost-samples.ts';
import { printable } from '../../base/printable.ts';
import { ProtoWriter } from '../../base/proto-writer.ts';
import { finish } from '../../base/slices.ts';
import { StringTable } from '../../base/string-table.ts';
import { type SampleSelection, selectSamples } from '../../profile/analysis/select/filter.ts';
import {
  RunningRound,
  type SummedSamples,
  sumSameSamples,
} from '../../profile/analysis/summed-samples.ts';
import { isCpuTime } from '../../profile/cpu-time.ts';
import type { Profile, ProfileEvent, Weights } from '../../profile/types.ts';
import { doubtNotes, type ExportProvenance } from './export-provenance.ts';
import type { MappedRange } from './mapped-range.ts';
import { PprofLocations } from './pprof-locations.ts';
import { weightTitle, withUnitOf } from './weight-title.ts';

export type PprofOptions = {
  readonly select?: SampleSelection;
  /** The ranges at which DSOs were mapped; without them addresses are offsets in their files. */
  readonly mappings?: readonly MappedRange[];
  /** When the recording began: nanoseconds since 1970. Absent: not known. */
  readonly startWallNs?: bigint;
  /** The origin of the weights, for the file's comments. */
  readonly provenance?: ExportProvenance;
  /** How long it lasted. Absent: until the last sample. */
  readonly durationNs?: number;
};

/** Bytes that are handed on at once. */
const PIECE = 1 << 20;

/**
 * Writes pprof's format,
 * [profile.proto](https://github.com/google/pprof/blob/main/proto/profile.proto), not compressed: a
 * file of it is expected to be gzipped.
 *
 *   sample_type   samples and weight of each event, see `PprofValues`
 *   sample        one for every distinct stack, thread, comm, CPU and event, with sums
 *   location …    see `PprofLocations`
 *   comment       weight, provenance, period and losses of each event, in sentences
 *
 * Labels are `comm`, `thread` (the thread's last comm), `pid`, `tid` and `cpu`. They are strings,
 * the numbers too: they name things, and pprof's reader drops a numeric label that is 0, as CPU 0.
 *
 * What was lost is a sample of weight only, under `[lost]`. Weights that are not whole are rounded
 * so that their sums stay.
 *
 * The message comes in pieces, which are messages themselves: in protobuf, messages one behind the
 * other are one with all their repeated fields.
 */
export function writePprof(
  profile: Profile,
  weights: Weights,
  options: PprofOptions,
  write: (bytes: Uint8Array) => void,
): void {
  const strings = new StringTable();
  const selected = options.select?.event;
  const shown = selected === undefined ? [...profile.events.keys()] : [selected];
  const samples = finish(selectSamples(profile, options.select));
  const rows = sumSameSamples(profile, weights, samples, profile.samples);
  const values = pprofValues(profile.events, shown, weights);
  const locations = new PprofLocations(profile, options.mappings ?? [], strings);
  const writer = new ProtoWriter();
  const intern = (text: string) => strings.intern(printable(text));
  const valueType = (field: number, { type, unit }: PprofValueType) => {
    writer.begin(field).int(1, intern(type)).int(2, intern(unit)).end();
  };
  // By the order of their fields: readers know a profile by its types, which samples push far back.
  for (const type of values.types) valueType(FIELD.sampleType, type);
  writeSamples(profile, rows, values, { locations, strings, writer, write });
  // Readers show the default type unless asked: that of the first event which has any weight.
  const weighed = new Set(rows.event.filter((_, row) => rows.weight[row] > 0));
  const firstIndex = shown.find((event) => weighed.has(event)) ?? shown[0] ?? NONE;
  const first = profile.events[firstIndex];
  const defaultType = values.types[values.weightColumn[firstIndex] ?? NONE];
  writeLocations(locations, writer);
  writer.int(FIELD.timeNanos, options.startWallNs ?? 0);
  writer.int(FIELD.durationNanos, options.durationNs ?? lastTimeNs(profile, samples));
  if (first !== undefined) {
    valueType(FIELD.periodType, weightType(first, { ...weights, kind: 'period' }));
    writer.int(FIELD.period, periodOf(profile, firstIndex) ?? 0);
  }
  writer.packed(FIELD.comment, commentsOf(profile, weights, shown, options).map(intern));
  if (defaultType !== undefined) writer.int(FIELD.defaultSampleType, intern(defaultType.type));
  for (const text of strings.strings) writer.text(FIELD.stringTable, text);
  write(writer.take());
}

/** Numbers of the fields of `message Profile`. */
const FIELD = {
  sampleType: 1,
  sample: 2,
  mapping: 3,
  location: 4,
  function: 5,
  stringTable: 6,
  timeNanos: 9,
  durationNanos: 10,
  periodType: 11,
  period: 12,
  comment: 13,
  defaultSampleType: 14,
} as const;

/** Samples are written with these. */
type SampleOutput = {
  readonly locations: PprofLocations;
  readonly strings: StringTable;
  readonly writer: ProtoWriter;
  readonly write: (bytes: Uint8Array) => void;
};

// Hot: once per row of sums.
function writeSamples(
  profile: Profile,
  rows: SummedSamples,
  values: PprofValues,
  { locations, strings, writer, write }: SampleOutput,
): void {
  const intern = (text: string) => strings.intern(printable(text));
  const commKey = intern('comm');
  const threadKey = intern('thread');
  const pidKey = intern('pid');
  const tidKey = intern('tid');
  const cpuKey = intern('cpu');
  const label = (key: number, text: string): void => {
    writer.begin(3).int(1, key).int(2, intern(text)).end();
  };
  const rounds = values.types.map(() => new RunningRound());
  const value = new Array<number>(values.types.length);
  for (let row = 0; row < rows.length; row++) {
    const event = rows.event[row];
    value.fill(0);
    const weightColumn = values.weightColumn[event];
    value[weightColumn] = rounds[weightColumn].next(rows.weight[row]);
    const countColumn = values.countColumn[event];
    if (countColumn !== weightColumn) value[countColumn] = rows.count[row];
    writer.begin(FIELD.sample).packed(1, locations.ofStack(rows.stack[row])).packed(2, value);
    label(commKey, profile.strings[rows.comm[row]]);
    const thread = profile.threads[rows.thread[row]];
    if (thread !== undefined) {
      label(threadKey, thread.comm);
      label(pidKey, `${thread.pid}`);
      label(tidKey, `${thread.tid}`);
    }
    const cpu = rows.cpu[row];
    if (cpu >= 0) label(cpuKey, `${cpu}`);
    writer.end();
    // A piece holds no strings: all of them come at the end.
    if (writer.length > PIECE) write(writer.take());
  }
}

function writeLocations(locations: PprofLocations, writer: ProtoWriter): void {
  for (const mapping of locations.mappings()) {
    writer.begin(FIELD.mapping).int(1, mapping.id);
    writer.int(2, mapping.memoryStart).int(3, mapping.memoryLimit).int(4, mapping.fileOffset);
    writer
      .int(5, mapping.file)
      .int(6, mapping.buildId)
      .int(7, mapping.hasFunctions ? 1 : 0)
      .end();
  }
  for (const { id, mappingId, address, lines } of locations.locations) {
    writer.begin(FIELD.location).int(1, id).int(2, mappingId).int(3, address);
    for (const { functionId, line } of lines) {
      writer.begin(4).int(1, functionId).int(2, line).end();
    }
    writer.end();
  }
  for (const { id, name, file, startLine } of locations.functions) {
    writer.begin(FIELD.function).int(1, id).int(2, name).int(3, name);
    writer.int(4, file).int(5, startLine).end();
  }
}

/** The period of every sample of an event; null where periods differ. */
function periodOf({ events, samples }: Profile, event: number): number | null {
  const { mode, frequencyHz, fixedPeriod } = events[event];
  if (mode !== 'clock' || fixedPeriod !== null || frequencyHz === null) return fixedPeriod;
  // A clock at a rate: its period is the timer's, and each sample reports it.
  for (let row = 0; row < samples.length; row++) {
    if (samples.event[row] === event) return samples.periodEvents[row];
  }
  return null;
}

function lastTimeNs({ samples }: Profile, selected: Int32Array): number {
  const last = selected[selected.length - 1];
  // A recording may have no times.
  return last === undefined ? 0 : Math.round(samples.timeNs[last]) || 0;
}

/** Facts that the format has no field for, as comments. */
function commentsOf(
  profile: Profile,
  weights: Weights,
  shown: readonly number[],
  { provenance }: PprofOptions,
): string[] {
  const comments = [`weight: ${weightTitle(weights)}`];
  if (provenance !== undefined) {
    comments.push(`written by ${provenance.exporter}`);
    if (provenance.recorder !== null) comments.push(`recorded by ${provenance.recorder}`);
    if (provenance.kernel !== null) comments.push(`Linux ${provenance.kernel}`);
  }
  for (const index of shown) {
    const { name, mode, frequencyHz, unit } = profile.events[index];
    const period = periodOf(profile, index);
    const note = (text: string) => comments.push(`${name}: ${text}`);
    if (mode === 'frequency') note(`the kernel adapted the period, aiming for ${frequencyHz} Hz`);
    else if (period !== null) note(`a sample every ${period} ${unit}`);
    // Waits, and events that are counted in a group whose leader takes the samples.
    else if (frequencyHz === null) note(`each sample recorded the ${unit} that it stands for`);
    const described = provenance?.events.find(({ event }) => event === name);
    if (described !== undefined) for (const sentence of described.sentences) note(sentence);
    else {
      const lost = lostSamplesOf(profile.losses, index);
      if (lost > 0) note(lostSamplesText(lost, lost + samplesOf(profile, index)));
    }
  }
  comments.push(...doubtNotes(provenance), ...profile.meta.notes);
  return comments;
}

function samplesOf({ samples }: Profile, event: number): number {
  let count = 0;
  for (let row = 0; row < samples.length; row++) if (samples.event[row] === event) count++;
  return count;
}

/** A column of values: what is counted, in what unit. */
type PprofValueType = { readonly type: string; readonly unit: string };

/**
 * The value columns of a file: two for each event, its samples and its weight.
 *
 *   cycles alone              samples/count  cycles/events
 *   a clock alone             samples/count  cpu/nanoseconds         what pprof calls CPU time
 *   several                   cycles_samples/count  cycles/events  page-faults_samples/count  …
 *   --weight time             samples/count  time/nanoseconds
 *   --weight samples          samples/count
 *
 * Columns of different events are kept apart: a sum over them would mean nothing.
 */
type PprofValues = {
  readonly types: readonly PprofValueType[];
  /** The columns of each event's samples and of its weight; the same where samples are weighed. */
  readonly countColumn: readonly number[];
  readonly weightColumn: readonly number[];
};

/** The columns for the events `shown`, in their order. */
function pprofValues(
  events: readonly ProfileEvent[],
  shown: readonly number[],
  weights: Weights,
): PprofValues {
  const types: PprofValueType[] = [];
  const countColumn: number[] = [];
  const weightColumn: number[] = [];
  const isOnlyOne = shown.length === 1;
  for (const index of shown) {
    const event = events[index];
    const prefix = isOnlyOne ? '' : `${event.name}_`;
    countColumn[index] = types.push({ type: `${prefix}samples`, unit: 'count' }) - 1;
    if (weights.kind === 'samples') weightColumn[index] = countColumn[index];
    else weightColumn[index] = types.push(weightType(event, weights, prefix)) - 1;
  }
  return { types, countColumn, weightColumn };
}

/** The unit and meaning of an event's weights. */
function weightType(event: ProfileEvent, weights: Weights, prefix = ''): PprofValueType {
  const { unit } = withUnitOf(event, weights);
  if (weights.kind === 'samples') return { type: `${prefix}samples`, unit: 'count' };
  if (weights.kind === 'time' || weights.kind === 'wall') {
    return { type: `${prefix}${weights.kind}`, unit };
  }
  const isAlone = prefix === '';
  return { type: isAlone && isCpuTime(event) ? 'cpu' : event.name, unit };
}
