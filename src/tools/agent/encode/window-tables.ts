import { finish } from '../../../base/slices.ts';
import { profileRows, rowsOf } from '../../../formats/tables/profile-rows.ts';
import { type RecordingTables, TABLES_VERSION } from '../../../formats/tables/schema.ts';
import { groupByStream } from '../../../period/streams.ts';
import { createShareEstimator } from '../../../period/uncertainty/uncertainty.ts';
import type { ShareEstimator } from '../../../profile/analysis/shares/share-steps.ts';
import type { EventIndex, Profile, Weights } from '../../../profile/types.ts';
import {
  eventFigures,
  eventRows,
  type FunctionFigures,
  functionRows,
} from '../../../read/outputs/figure-rows.ts';
import { packageVersion } from '../../../system/version.ts';
import type { ServiceProfile } from '../window/service-profiles.ts';
import type { WindowFacts } from './encode-pprof.ts';

/** Facts of the machine and the configuration that every window has. */
export type WindowLabels = {
  readonly host: string;
  readonly labels: Readonly<Record<string, string>>;
};

/**
 * One service's window as the tables of a recording. Weights are those of the window, so sums are the
 * counters' values; a share is one of the service's own weight.
 */
export function windowTables(
  { service, profile, weights }: ServiceProfile,
  window: WindowFacts,
  { host, labels }: WindowLabels,
): RecordingTables {
  const { meta, events } = profile;
  const startNs = Number(window.startNs);
  const figures = events.map((_, event) => figuresOf(profile, weights, event as EventIndex));
  const build = service.attributes['service.version'] ?? null;
  const own = { ...service.attributes, ...labels, 'service.source': service.source };
  const timed = {
    ...profile,
    samples: { ...profile.samples, timeNs: sinceStart(profile, window) },
  };
  return {
    recordings: rowsOf(1, [
      [`${service.name} ${new Date(startNs / 1e6).toISOString()}`],
      [TABLES_VERSION],
      [host],
      [service.name],
      [build],
      [startNs],
      [Number(window.endNs - window.startNs) / 1e9],
      [meta.kernel],
      [meta.arch],
      ['perf-ts agent'],
      [`perf-ts ${packageVersion()}`],
      ['events'],
      ['all'],
      [0],
      [null],
      [meta.notes.join('\n')],
      [JSON.stringify(own)],
    ]),
    events: eventRows(profile, figures, () => null),
    functions: functionRows(profile, figures),
    ...profileRows(timed, weights),
    ratios: NO_ROWS,
    streams: NO_ROWS,
    marks: NO_ROWS,
    turns: NO_ROWS,
    awaits: NO_ROWS,
    losses: lossRows(figures, profile),
  };
}

const NO_ROWS = rowsOf(0, []);

/** Times of samples count from when the agent began. */
function sinceStart({ samples }: Profile, { zeroNs, startNs }: WindowFacts): Float64Array {
  const shift = Number(zeroNs - startNs);
  return samples.timeNs.map((time) => time + shift);
}

function figuresOf(profile: Profile, weights: Weights, event: EventIndex): FunctionFigures {
  const rows: number[] = [];
  for (let row = 0; row < profile.samples.length; row++) {
    if (profile.samples.event[row] === event) rows.push(row);
  }
  const ofEvent = Int32Array.from(rows);
  const estimator = estimatorOf(profile, weights, event, ofEvent);
  return eventFigures(profile, weights, { event, rows: ofEvent, estimator });
}

/** Samples count as drawn, with their own weights: between two of a service others may have run. */
function estimatorOf(
  profile: Profile,
  { values }: Weights,
  event: EventIndex,
  rows: Int32Array,
): ShareEstimator {
  const groups = finish(groupByStream(profile));
  return finish(createShareEstimator({ weights: values, rows, groups, event }));
}

/** How many samples were lost of a service nobody knows: its lost weight by its mean sample. */
function lossRows(
  figures: readonly FunctionFigures[],
  { events }: Profile,
): RecordingTables['losses'] {
  const of = <Value>(value: (figure: FunctionFigures) => Value): Value[] => figures.map(value);
  const unknown = events.map(() => null);
  const zeros = events.map(() => 0);
  return rowsOf(events.length, [
    Int32Array.from(events, (_, event) => event),
    of(({ report }) => report.samples),
    of(({ report }) => lostSamplesOf(report)),
    of(({ report }) => {
      const taken = report.samples + lostSamplesOf(report);
      return taken === 0 ? null : report.samples / taken;
    }),
    unknown,
    of(({ report }) => report.weight - report.lost),
    of(({ report }) => (report.weight > 0 ? 1 - report.lost / report.weight : null)),
    of(({ report }) => report.lost),
    unknown,
    unknown,
    unknown,
    unknown,
    zeros,
    zeros,
  ]);
}

function lostSamplesOf({ samples, weight, lost }: FunctionFigures['report']): number {
  const arrived = weight - lost;
  return lost > 0 ? Math.max(1, Math.round((lost * samples) / Math.max(arrived, 1))) : 0;
}
