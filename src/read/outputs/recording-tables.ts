import { NONE } from '../../base/brand.ts';
import { lateModules } from '../../base/late-modules.ts';
import { once } from '../../base/once.ts';
import { profileRows, rowsOf } from '../../formats/tables/profile-rows.ts';
import {
  type RecordingTables,
  type SchemaTable,
  TABLES_VERSION,
  type TableRows,
} from '../../formats/tables/schema.ts';
import { inStepText } from '../../period/report/in-step-words.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import { secondsOf } from '../../profile/analysis/diff-measure.ts';
import type { EventIndex, WeightKind } from '../../profile/types.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import {
  eventFigures,
  eventRows,
  type FunctionFigures,
  functionRows,
  ratioRows,
} from './figure-rows.ts';
import { functionRatios } from './function-ratios.ts';

/** What a recording does not say of itself. */
export type RecordingLabels = {
  /** Shown in place of a path. */
  readonly name: string;
  readonly service?: string;
  readonly build?: string;
};

export type TablesOptions = {
  readonly weight?: WeightKind;
  /** The tables that will be asked for; absent: any may be. */
  readonly wanted?: ReadonlySet<SchemaTable>;
  /** The intervals of totals will be asked for; absent: they may be. */
  readonly totals?: boolean;
};

/**
 * A recording as rows: the profile, its weights, their intervals and what was lost. A table is computed when
 * it is asked for: how periods behaved takes longer than all else.
 */
export function recordingTables(
  opened: AnalysedProfile,
  labels: RecordingLabels,
  { weight = 'events', wanted, totals = true }: TablesOptions = {},
): RecordingTables {
  const { profile } = opened;
  const periods = once(() => opened.periods({ streams: 'all' }));
  // The intervals of functions take most of the time.
  const ofFunctions = wanted !== undefined && !wanted.has('functions') ? null : { totals };
  const figures = once(() =>
    profile.events.map((_, event) => figuresOf(opened, event as EventIndex, weight, ofFunctions)),
  );
  const events = once(() =>
    eventRows(
      profile,
      figures(),
      (event) => {
        const found = opened.inStep(event);
        return found === null ? null : inStepText(found);
      },
      (event) => opened.weightDoubt(event),
    ),
  );
  const functions = once(() => functionRows(profile, figures()));
  const rows = once(() => profileRows(profile, opened.weights(weight)));
  return {
    recordings: recordingRow(opened, labels, weight),
    get events() {
      return events();
    },
    get functions() {
      return functions();
    },
    get ratios() {
      return ratioRows(profile, functionRatios(opened));
    },
    get samples() {
      return rows().samples;
    },
    get stacks() {
      return rows().stacks;
    },
    get frames() {
      return rows().frames;
    },
    get threads() {
      return rows().threads;
    },
    get streams() {
      return streamRows(opened, periods());
    },
    get marks() {
      return markRows(opened, periods());
    },
    get losses() {
      return lossRows(opened);
    },
  };
}

/**
 * A number for the recording that no other is likely to have, below 2^53: of its host, its clock's start,
 * its command line and its size.
 */
export function recordingNumber({ profile }: AnalysedProfile): number {
  const { hostname, startTime, commandLine, kernel } = profile.meta;
  const { length } = profile.samples;
  const text = JSON.stringify([hostname, startTime, commandLine, kernel, length]);
  const bytes = lateModules.crypto.createHash('sha256').update(text).digest();
  return bytes.readUIntBE(0, 6) * 32 + (bytes[6] & 31);
}

function recordingRow(
  opened: AnalysedProfile,
  { name, service, build }: RecordingLabels,
  weight: WeightKind,
): TableRows {
  const { profile, facts } = opened;
  const { meta } = profile;
  const started = facts.startWallNs;
  return rowsOf(1, [
    [name],
    [TABLES_VERSION],
    [meta.hostname],
    [service ?? null],
    [build ?? null],
    // Nearest number: nanoseconds since 1970 are above 2^53, the last digits are not known.
    [started === null ? null : Number(started)],
    [secondsOf(profile)],
    [meta.kernel],
    [meta.arch],
    [meta.commandLine.join(' ')],
    [meta.recorder ?? null],
    [weight],
    [facts.frames],
    [meta.lostSideband ?? 0],
    [opened.truncatedAt],
    [meta.notes.join('\n')],
    [null],
  ]);
}

function figuresOf(
  opened: AnalysedProfile,
  event: EventIndex,
  kind: WeightKind,
  ofFunctions: { readonly totals: boolean } | null,
): FunctionFigures {
  const weights = opened.weights(kind, event);
  const estimator = opened.shareEstimator(weights, event);
  const rows = opened.samplesOf(event);
  return eventFigures(opened.profile, weights, { event, rows, estimator, ofFunctions });
}

function streamRows({ profile }: AnalysedProfile, { events }: PeriodsReport): TableRows {
  const eventOf = new Map(profile.events.map(({ name }, event) => [name, event]));
  const streamOf = new Map(
    profile.streams.map(({ event, streamId }, stream) => [`${event} ${streamId}`, stream]),
  );
  const rows = events.flatMap((report) => {
    const event = eventOf.get(report.event) ?? NONE;
    return report.streams.map((stream) => ({ event, ...stream }));
  });
  return rowsOf(rows.length, [
    Int32Array.from(rows, ({ event, streamId }) => streamOf.get(`${event} ${streamId}`) ?? NONE),
    Int32Array.from(rows, ({ event }) => event),
    rows.map(({ streamId }) => streamId ?? ''),
    rows.map(({ verdict }) => verdict),
    rows.map(({ samples }) => samples),
    rows.map(({ settleSamples }) => settleSamples),
    rows.map(({ settleNs }) => settleNs),
    rows.map(({ steady }) => steady?.period.median ?? null),
    rows.map(({ steady }) => steady?.hz ?? null),
    rows.map(({ effectiveSamples }) => effectiveSamples),
  ]);
}

/** `amount`: records lost, samples of a ramp. Context switches are left out: there may be more than samples. */
function markRows(opened: AnalysedProfile, periods: PeriodsReport): TableRows {
  const { losses, throttles, reRamps } = opened.marks(periods);
  const rows = [
    ...losses.map(({ event, cpu, timeNs, lost }) => ({
      ...{ kind: 'lost', event, cpu, startNs: timeNs, endNs: null, amount: lost },
      what: 'records that did not fit into the ring',
    })),
    ...throttles.map(({ event, startNs, endNs }) => ({
      ...{ kind: 'throttled', event, cpu: NONE, startNs, endNs, amount: null },
      what: 'the kernel had paused the event',
    })),
    ...reRamps.map(({ event, startNs, endNs, samples, cause }) => ({
      ...{ kind: 're-ramp', event, cpu: NONE, startNs, endNs, amount: samples },
      what: cause,
    })),
  ].sort((a, b) => a.startNs - b.startNs);
  return rowsOf(rows.length, [
    rows.map(({ kind }) => kind),
    Int32Array.from(rows, ({ event }) => event),
    Int32Array.from(rows, ({ cpu }) => cpu),
    rows.map(({ startNs }) => Math.round(startNs)),
    rows.map(({ endNs }) => (endNs === null ? null : Math.round(endNs))),
    rows.map(({ amount }) => amount),
    rows.map(({ what }) => what),
  ]);
}

function lossRows(opened: AnalysedProfile): TableRows {
  const ledgers = opened.ledgers();
  const { throttles } = opened.facts;
  const throttlesOf = (event: number) => throttles.filter((mark) => mark.event === event);
  return rowsOf(ledgers.length, [
    Int32Array.from(ledgers, (_, event) => event),
    ledgers.map(({ samples }) => samples),
    ledgers.map(({ lostSamples }) => lostSamples),
    ledgers.map(({ coverage }) => coverage),
    ledgers.map(({ eventsCounted }) => eventsCounted),
    ledgers.map(({ arrivedEvents }) => arrivedEvents),
    ledgers.map(({ eventCoverage }) => eventCoverage),
    ledgers.map(({ gapEvents }) => gapEvents),
    ledgers.map(({ tailEvents }) => tailEvents),
    ledgers.map(({ unsampledEvents }) => unsampledEvents),
    ledgers.map(({ undividedEvents }) => undividedEvents),
    ledgers.map(({ unaccounted }) => unaccounted),
    ledgers.map((_, event) => throttlesOf(event).length),
    ledgers.map((_, event) =>
      throttlesOf(event).reduce((sum, { startNs, endNs }) => sum + endNs - startNs, 0),
    ),
  ]);
}
