import { NONE } from '../../base/brand.ts';
import { lateModules } from '../../base/late-modules.ts';
import { once } from '../../base/once.ts';
import { finish } from '../../base/slices.ts';
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
import { MARK_KINDS } from '../../profile/mark-table.ts';
import type { TurnTable } from '../../profile/turn-table.ts';
import type { EventIndex, Profile, WeightKind } from '../../profile/types.ts';
import { awaitedBy, findAwaits } from '../../questions/awaits.ts';
import type { EventAccount } from '../../questions/ledger.ts';
import { findPeriods } from '../../questions/periods.ts';
import { REQUEST_TIMES, type RequestTimes } from '../../questions/request-times.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { type AskedEvent, accountsOf, askAboutEvent } from './asked-event.ts';
import {
  eventFigures,
  eventRows,
  functionColumns,
  functionRows,
  ratioRows,
} from './figure-rows.ts';
import { functionRatios } from './function-ratios.ts';

/** Labels that a recording does not give itself. */
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
  const asked = once(() =>
    profile.events.map((_, event) => askAboutEvent(opened, event as EventIndex, weight)),
  );
  const figures = once(() =>
    asked().map((event) => eventFigures(profile, event.weights, { ...event, ofFunctions })),
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
  const weights = once(() => opened.weights(weight));
  const rows = once(() => profileRows(profile, weights()));
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
      return markRows(opened, periods(), weight);
    },
    get turns() {
      return turnRows(profile);
    },
    get awaits() {
      return awaitRows(opened.profileAt('all'), asked);
    },
    get losses() {
      return lossRows(accountsOf(opened, asked()));
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

function streamRows({ profile }: AnalysedProfile, report: PeriodsReport): TableRows {
  const eventOf = new Map(profile.events.map(({ name }, event) => [name, event]));
  const streamOf = new Map(
    profile.streams.map(({ event, streamId }, stream) => [`${event} ${streamId}`, stream]),
  );
  const rows = findPeriods(report).map(({ event, stream }) => ({
    event: eventOf.get(report.events[event].event) ?? NONE,
    ...stream,
  }));
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

/**
 * `amount`: records lost, samples of a ramp, the number of marks of a program that this one stands for. Context switches
 * are left out: there may be more than samples.
 */
function markRows(opened: AnalysedProfile, periods: PeriodsReport, weight: WeightKind): TableRows {
  const { losses, throttles, reRamps } = opened.marks(periods);
  const times = opened.requestTimes(weight);
  const rows: MarkRow[] = [
    ...programMarkRows(opened.profile),
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
    ...(['pid', 'tid', 'status'] as const).map((name) => rows.map((row) => row[name] ?? null)),
    ...Object.keys(REQUEST_TIMES).map((column) =>
      rows.map(({ mark }) => {
        const ns = mark === undefined ? undefined : times?.[column as keyof RequestTimes][mark];
        return ns === undefined || Number.isNaN(ns) ? null : ns;
      }),
    ),
  ]);
}

type MarkRow = {
  readonly kind: string;
  readonly event: number;
  readonly cpu: number;
  readonly startNs: number;
  readonly endNs: number | null;
  readonly amount: number | null;
  readonly what: string;
  readonly pid?: number;
  readonly tid?: number;
  readonly status?: number | null;
  /** The row of a program's mark. */
  readonly mark?: number;
};

/** Rows of what programs named, and of their garbage collections. */
function programMarkRows({ marks }: Profile): MarkRow[] {
  if (marks === undefined) return [];
  const { kind, loop, loops, name, names, fromNs, toNs, isOpen, status, standsFor } = marks;
  return Array.from({ length: marks.length }, (_, row) => ({
    kind: MARK_KINDS[kind[row]],
    event: NONE,
    cpu: NONE,
    startNs: fromNs[row],
    endNs: isOpen[row] === 1 ? null : toNs[row],
    amount: standsFor[row],
    what: names[name[row]],
    pid: loops[loop[row]].pid,
    tid: loops[loop[row]].tid,
    status: status[row] === 0 ? null : status[row],
    mark: row,
  }));
}

/** Turns of event loops that took a millisecond or more. */
function turnRows({ turns }: Profile): TableRows {
  const rows = Array.from({ length: turns?.length ?? 0 }, (_, row) => row);
  const column = (numberOf: (table: TurnTable, row: number) => number): number[] =>
    turns === undefined ? [] : rows.map((row) => Math.round(numberOf(turns, row)));
  return rowsOf(rows.length, [
    column(({ loops, loop }, row) => loops[loop[row]].pid),
    column(({ loops, loop }, row) => loops[loop[row]].tid),
    column(({ fromNs }, row) => fromNs[row]),
    column(({ fromNs, toNs }, row) => toNs[row] - fromNs[row]),
    column(({ fromNs, eventsToNs }, row) => eventsToNs[row] - fromNs[row]),
    column(({ waitedNs }, row) => waitedNs[row]),
    column(({ isFirst }, row) => isFirst[row]),
    column(({ isOpen }, row) => isOpen[row]),
  ]);
}

/** Resumed functions of each event, by those that await them. */
function awaitRows(profile: Profile, asked: () => readonly AskedEvent[]): TableRows {
  const isRecorded = profile.marks?.asyncStacks !== undefined;
  const rows = (isRecorded ? asked() : []).flatMap((of) =>
    finish(findAwaits({ ...of, profile })).map((row) => ({ event: of.event, ...row })),
  );
  return rowsOf(rows.length, [
    rows.map(({ event }) => event),
    ...functionColumns(
      profile,
      rows.map(({ resumed }) => resumed),
    ),
    rows.map((row) => awaitedBy(profile, row)),
    rows.map(({ samples }) => samples),
    rows.map(({ weight }) => weight),
    rows.map(({ share }) => share),
    rows.map(({ interval }) => interval?.low ?? null),
    rows.map(({ interval }) => interval?.high ?? null),
  ]);
}

function lossRows(accounts: readonly EventAccount[]): TableRows {
  return rowsOf(accounts.length, [
    Int32Array.from(accounts, (_, event) => event),
    ...LOSS_COLUMNS.map((name) => accounts.map((account) => account[name])),
  ]);
}

/** The columns of `losses` behind `event`. */
const LOSS_COLUMNS = [
  'samples',
  'lostSamples',
  'coverage',
  'eventsCounted',
  'arrivedEvents',
  'eventCoverage',
  'gapEvents',
  'tailEvents',
  'unsampledEvents',
  'undividedEvents',
  'unaccounted',
  'throttles',
  'throttledNs',
] as const satisfies (keyof EventAccount)[];
