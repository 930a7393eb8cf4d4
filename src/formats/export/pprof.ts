import {
  emptyTableToken,
  Profile as PprofProfile,
  type SampleInput,
  StringTable,
} from 'pprof-format';
import { NONE } from '../../base/brand.ts';
import { lostSamplesOf } from '../../base/lost-samples.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import { type SampleSelection, selectSamples } from '../../profile/analysis/filter.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import type { ExportProvenance } from './export-provenance.ts';
import type { MappedRange } from './mapped-range.ts';
import { PprofLocations } from './pprof-locations.ts';
import { type PprofRows, RunningRound, sumPprofRows } from './pprof-samples.ts';
import { type PprofValues, pprofValues, weightType } from './pprof-values.ts';
import { weightTitle } from './weight-title.ts';

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

/** Samples that are encoded at once: enough to make the cost of a piece negligible. */
const BATCH = 8192;

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
  const rows = sumPprofRows(profile, weights, samples);
  const values = pprofValues(profile.events, shown, weights);
  const locations = new PprofLocations(profile, options.mappings ?? [], strings);
  writeSamples(profile, rows, values, locations, strings, write);

  const intern = (text: string) => strings.dedup(printable(text));
  const valueType = ({ type, unit }: { type: string; unit: string }) => ({
    type: intern(type),
    unit: intern(unit),
  });
  // Readers show the default type unless asked: that of the first event which has any weight.
  const weighed = new Set(rows.event.filter((_, row) => rows.weight[row] > 0));
  const firstIndex = shown.find((event) => weighed.has(event)) ?? shown[0] ?? NONE;
  const first = profile.events[firstIndex];
  const defaultType = values.types[values.weightColumn[firstIndex] ?? NONE];
  write(
    new PprofProfile({
      sampleType: values.types.map(valueType),
      mapping: locations.mappings(),
      location: locations.locations,
      function: locations.functions,
      timeNanos: options.startWallNs ?? 0,
      durationNanos: options.durationNs ?? lastTimeNs(profile, samples),
      ...(first !== undefined && {
        periodType: valueType(weightType(first, { ...weights, kind: 'period' })),
        period: periodOf(profile, firstIndex) ?? 0,
      }),
      comment: commentsOf(profile, weights, shown, options).map(intern),
      ...(defaultType !== undefined && { defaultSampleType: intern(defaultType.type) }),
      stringTable: strings,
    }).encode(),
  );
}

function writeSamples(
  profile: Profile,
  rows: PprofRows,
  values: PprofValues,
  locations: PprofLocations,
  strings: StringTable,
  write: (bytes: Uint8Array) => void,
): void {
  const intern = (text: string) => strings.dedup(printable(text));
  const commKey = intern('comm');
  const threadKey = intern('thread');
  const pidKey = intern('pid');
  const tidKey = intern('tid');
  const cpuKey = intern('cpu');
  const rounds = values.types.map(() => new RunningRound());
  // The pieces hold no strings: all of them come at the end.
  const noStrings = new StringTable(emptyTableToken);
  let batch: SampleInput[] = [];
  for (let row = 0; row < rows.length; row++) {
    const event = rows.event[row];
    const value = new Array<number>(values.types.length).fill(0);
    const weightColumn = values.weightColumn[event];
    value[weightColumn] = rounds[weightColumn].next(rows.weight[row]);
    const countColumn = values.countColumn[event];
    if (countColumn !== weightColumn) value[countColumn] = rows.count[row];
    const thread = profile.threads[rows.thread[row]];
    const cpu = rows.cpu[row];
    const label = [{ key: commKey, str: intern(profile.strings[rows.comm[row]]) }];
    if (thread !== undefined) {
      label.push(
        { key: threadKey, str: intern(thread.comm) },
        { key: pidKey, str: intern(`${thread.pid}`) },
        { key: tidKey, str: intern(`${thread.tid}`) },
      );
    }
    if (cpu >= 0) label.push({ key: cpuKey, str: intern(`${cpu}`) });
    batch.push({ locationId: locations.ofStack(rows.stack[row]), value, label });
    if (batch.length === BATCH) {
      write(new PprofProfile({ sample: batch, stringTable: noStrings }).encode());
      batch = [];
    }
  }
  write(new PprofProfile({ sample: batch, stringTable: noStrings }).encode());
}

/** The period of every sample of an event; null where periods differ. */
function periodOf({ events, samples }: Profile, event: number): number | null {
  const { mode, frequencyHz, fixedPeriod } = events[event];
  if (mode !== 'clock' || fixedPeriod !== null || frequencyHz === null) return fixedPeriod;
  // A clock at a rate: its period is the timer's, and each sample reports it.
  const sample = samples.event.indexOf(event);
  return sample < 0 ? null : samples.periodEvents[sample];
}

function lastTimeNs({ samples }: Profile, selected: Int32Array): number {
  const last = selected[selected.length - 1];
  return last === undefined ? 0 : Math.round(samples.timeNs[last]);
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
    if (described !== undefined) for (const sentence of described.said) note(sentence);
    else {
      const lost = lostSamplesOf(profile.losses, index);
      if (lost > 0) note(`${lost} samples were lost`);
    }
  }
  for (const note of profile.meta.notes) comments.push(note);
  return comments;
}
