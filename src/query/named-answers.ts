import { UsageError } from '../base/errors.ts';
import { printable } from '../base/printable.ts';
import { finish } from '../base/slices.ts';
import { commandOnly } from '../base/words.ts';
import {
  flagFunctions,
  meantTogether,
  noFunction,
} from '../profile/analysis/select/find-functions.ts';
import type { EventIndex, FuncIndex, WeightKind } from '../profile/types.ts';
import { findLines } from '../questions/lines.ts';
import { findNeighbours, type NeighbourSide, nobodyOf } from '../questions/neighbours.ts';
import { findPeriods } from '../questions/periods.ts';
import type { Asked } from '../questions/shares-by-key.ts';
import { findThreads } from '../questions/threads.ts';
import { findTimeline } from '../questions/timeline.ts';
import { nameFunction, reportFunctions, type TopFunction, topFunctions } from '../questions/top.ts';
import type { AnalysedProfile } from '../read/outputs/analysed-profile.ts';
import { type AskedEvent, accountsOf, askAboutEvent } from '../read/outputs/asked-event.ts';
import type { QueryAnswer, QueryValue } from './engine.ts';
import type { QueriedRecording } from './open-recordings.ts';
import type { QueryVerb, VerbOptions } from './verbs.ts';

type Row = Readonly<Record<string, QueryValue>>;
type AnswerOptions = VerbOptions & { readonly weight?: WeightKind; readonly maxRows: number };

/** A recording, or the event of it that is asked about. */
type Question = {
  readonly opened: AnalysedProfile;
  readonly asked: AskedEvent;
  /** Whether a function is meant, by FuncIndex; null: all functions. */
  readonly isMeant: Uint8Array | null;
  readonly options: AnswerOptions;
};

/** A question about files that needs no engine: the columns of its SQL (`verbs.ts`), and its rows in their order. */
type NamedQuestion = {
  readonly columns: string;
  /** Whether a function has to be named, may be, or is of no matter. */
  readonly func?: 'needed' | 'taken';
  /** Functions of one name are one answer. */
  readonly joins?: true;
  readonly rows: (question: Question) => Iterable<Row>;
};

const EDGES: Readonly<Record<NeighbourSide, NamedQuestion>> = {
  callers: {
    columns: 'recording event func caller caller_dso weight unit share low high samples',
    ...{ func: 'needed', joins: true },
    rows: (question) => edgeRows(question, 'callers'),
  },
  callees: {
    columns: 'recording event func callee callee_dso weight unit share low high samples',
    ...{ func: 'needed', joins: true },
    rows: (question) => edgeRows(question, 'callees'),
  },
};

const QUESTIONS = {
  top: {
    columns: 'recording event weight unit share low high dso func',
    func: 'taken',
    rows: ({ asked, isMeant, options: { by = 'self' } }) =>
      functionRows(asked, isMeant, topFunctions(reportFunctions(asked, by === 'total'), by)),
  },
  ...EDGES,
  lines: {
    columns: 'recording event func file line self total unit share low high',
    func: 'needed',
    rows: lineRows,
  },
  timeline: {
    columns: 'recording event second weight unit share low high func',
    func: 'taken',
    rows: timelineRows,
  },
  threads: {
    columns: 'recording event weight unit share low high samples comm pid tid',
    rows: threadRows,
  },
  periods: {
    columns: 'recording event stream_id verdict samples settle_samples median_period hz',
    rows: periodRows,
  },
  ledger: {
    columns:
      'recording event unit weight lost lost_low lost_high samples lost_samples coverage throttles',
    rows: ledgerRows,
  },
} satisfies Partial<Record<QueryVerb, NamedQuestion>>;
export type AnsweredVerb = keyof typeof QUESTIONS;

export function isAnswered(verb: QueryVerb | undefined): verb is AnsweredVerb {
  return verb !== undefined && verb in QUESTIONS;
}

/** An answer, and what to know of it, a sentence each without a full stop. */
type NamedAnswer = QueryAnswer & { readonly notes: readonly string[] };

/**
 * The rows of a question about recordings. Throws `UsageError` where the function is missing, or is in none of the
 * recordings.
 */
export async function answerByName(
  verb: AnsweredVerb,
  recordings: readonly QueriedRecording[],
  open: (file: string) => Promise<AnalysedProfile>,
  options: AnswerOptions,
): Promise<NamedAnswer> {
  const question: NamedQuestion = QUESTIONS[verb];
  const { event, weight, limit, maxRows } = options;
  const text = question.func === undefined ? undefined : options.func;
  if (question.func === 'needed' && text === undefined) {
    throw new UsageError(`${verb}: of which function?`, [
      commandOnly(`perf-ts query ${verb} --func NAME`),
    ]);
  }
  const rows: Row[] = [];
  const notes = new Set<string>();
  let refused: UsageError | null = null;
  let isFound = false;
  for (const { recording, file } of recordings) {
    const opened = await open(file);
    const asked = askAboutEvent(opened, event, weight);
    const { profile, weights } = asked;
    const isMeant = text === undefined ? null : flagFunctions(profile, text);
    if (isMeant?.includes(1) === false && text !== undefined) {
      refused ??= noFunction(profile, text);
      continue;
    }
    isFound = true;
    const together =
      isMeant === null || question.joins === undefined ? null : meantTogether(profile, isMeant);
    if (together !== null) notes.add(`${printable(text ?? '')}: ${together}`);
    const head = {
      recording,
      event: profile.events[asked.event]?.name ?? '',
      unit: weights.unit,
    };
    for (const row of question.rows({ opened, asked, isMeant, options })) {
      if (rows.length > Math.min(limit, maxRows)) break;
      rows.push({ ...head, ...row });
    }
  }
  if (!isFound && refused !== null) throw refused;
  const columns = question.columns.split(' ');
  const shown = rows.slice(0, Math.min(limit, maxRows));
  return {
    columns,
    rows: shown.map((row) => columns.map((name) => row[name] ?? null)),
    isCut: Math.min(rows.length, limit) > maxRows,
    notes: [...notes],
  };
}

function functionRows(
  { profile }: Asked,
  isMeant: Uint8Array | null,
  functions: readonly TopFunction[],
): Row[] {
  return functions
    .filter(({ func }) => isMeant === null || isMeant[func] === 1)
    .map(({ func, weight, share, interval }) => {
      const { name, dso } = nameFunction(profile, func);
      return { weight, share, ...ends(interval), dso, func: name };
    });
}

function edgeRows(
  { opened, asked, isMeant: meant, options }: Question,
  side: NeighbourSide,
): Row[] {
  const { profile } = asked;
  const isMeant = meant ?? new Uint8Array(profile.funcs.length);
  const other = side === 'callers' ? 'caller' : 'callee';
  const labels = Array.from(isMeant.keys())
    .filter((func) => isMeant[func] === 1)
    .map((func) => nameFunction(profile, func as FuncIndex));
  const names = [...new Set(labels.map(({ name }) => name))];
  const func = names.length === 1 ? names[0] : (options.func ?? '');
  return finish(findNeighbours(asked, isMeant, side)).map((neighbour) => {
    const self = side === 'callees' ? labels[0].dso : '';
    const named =
      neighbour.func === null
        ? { name: nobodyOf(side, opened.hasStacks), dso: self }
        : nameFunction(profile, neighbour.func);
    const { weight, share, interval, samples } = neighbour;
    const edge = { [other]: named.name, [`${other}_dso`]: named.dso };
    return { func, ...edge, weight, share, ...ends(interval), samples };
  });
}

function lineRows({ asked, isMeant }: Question): Row[] {
  const { profile } = asked;
  const of = { isMeant: isMeant ?? new Uint8Array(profile.funcs.length) };
  return finish(findLines(asked, of)).rows.map((row) => ({
    func: nameFunction(profile, row.func as FuncIndex).name,
    file: row.file < 0 ? null : profile.strings[row.file],
    line: row.line,
    self: row.weight,
    total: row.total,
    share: row.share,
    ...ends(row.interval),
  }));
}

function* timelineRows({ opened, asked, isMeant, options: { weight } }: Question): Iterable<Row> {
  const within = (times: { readonly fromNs: number; readonly toNs: number }): Asked =>
    askAboutEvent(opened, asked.event, weight, times);
  for (const row of findTimeline(asked, within)) {
    for (const named of functionRows(asked, isMeant, [row])) yield { ...named, second: row.second };
  }
}

function threadRows({ asked }: Question): Row[] {
  return finish(findThreads(asked)).map(({ thread, weight, share, interval, samples }) => {
    const { comm, pid, tid } = asked.profile.threads[thread];
    return { weight, share, ...ends(interval), samples, comm, pid, tid };
  });
}

function periodRows({ opened, asked, options }: Question): Row[] {
  const report = opened.periods({ streams: 'all' });
  return findPeriods(report)
    .map(({ event, stream }) => ({
      event: report.events[event].event,
      stream_id: stream.streamId ?? '',
      verdict: stream.verdict,
      samples: stream.samples,
      settle_samples: stream.settleSamples,
      median_period: stream.steady?.period.median ?? null,
      hz: stream.steady?.hz ?? null,
    }))
    .filter(
      ({ event }) =>
        options.event === undefined || event === asked.profile.events[asked.event].name,
    )
    .sort(byEvent);
}

function ledgerRows({ opened, asked, options }: Question): Row[] {
  const { events } = opened.profile;
  const all = events.map((_, event) => askAboutEvent(opened, event as EventIndex, options.weight));
  const wanted = options.event === undefined ? all : [asked];
  const rows = accountsOf(opened, wanted).map((account, at) => ({
    event: events[wanted[at].event].name,
    unit: wanted[at].weights.unit,
    weight: account.weight,
    lost: account.lost,
    lost_low: account.lostLow,
    lost_high: account.lostHigh,
    samples: account.samples,
    lost_samples: account.lostSamples,
    coverage: account.coverage,
    throttles: account.throttles,
  }));
  return rows.sort(byEvent);
}

function byEvent(a: { readonly event: string }, b: { readonly event: string }): number {
  return a.event < b.event ? -1 : a.event > b.event ? 1 : 0;
}

function ends(interval: { low: number; high: number } | null) {
  return { low: interval?.low ?? null, high: interval?.high ?? null };
}
