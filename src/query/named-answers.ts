import { UsageError } from '../base/errors.ts';
import { finish } from '../base/slices.ts';
import {
  fittingNames,
  flagFunctions,
  noFunction,
  noFunctionNamed,
} from '../profile/analysis/find-functions.ts';
import type { FuncIndex, WeightKind } from '../profile/types.ts';
import { findLines } from '../questions/lines.ts';
import { findNeighbours, type NeighbourSide, NOBODY } from '../questions/neighbours.ts';
import type { Asked } from '../questions/shares-by-key.ts';
import { nameFunction, reportFunctions, topFunctions } from '../questions/top.ts';
import type { AnalysedProfile } from '../read/outputs/analysed-profile.ts';
import { askAboutEvent } from '../read/outputs/asked-event.ts';
import { type ComparedFile, compareRecordings } from '../read/outputs/compare-recordings.ts';
import type { QueryAnswer, QueryValue } from './engine.ts';
import type { QueriedRecording } from './open-recordings.ts';
import type { QueryVerb, VerbOptions } from './verbs.ts';

/** Questions about files that need no engine: the rooms above answer them. */
const ANSWERED = ['top', 'callers', 'callees', 'lines', 'diff'] as const;
export type AnsweredVerb = (typeof ANSWERED)[number];

export function isAnswered(verb: QueryVerb | undefined): verb is AnsweredVerb {
  return ANSWERED.some((name) => name === verb);
}

type Row = Readonly<Record<string, QueryValue>>;
type AnswerOptions = VerbOptions & { readonly weight?: WeightKind; readonly maxRows: number };

/**
 * The rows of a question about recordings, with the columns of its SQL (`verbs.ts`). Throws `UsageError` where the
 * function is missing, or is in none of the recordings.
 */
export async function answerByName(
  verb: AnsweredVerb,
  recordings: readonly QueriedRecording[],
  open: (file: string) => Promise<AnalysedProfile>,
  options: AnswerOptions,
): Promise<QueryAnswer> {
  const { func: text, event: eventName, weight: kind } = options;
  if (verb === 'diff') return cutAnswer(verb, await diffRows(recordings, open, options), options);
  if (verb !== 'top' && text === undefined) {
    throw new UsageError(`${verb}: of which function?`, [`perf-ts query ${verb} --func NAME`]);
  }
  const rows: Row[] = [];
  let refused: UsageError | null = null;
  let isFound = false;
  for (const { recording, file } of recordings) {
    const asked = askAboutEvent(await open(file), eventName, kind);
    const { profile, event, weights } = asked;
    const isMeant = text === undefined ? null : flagFunctions(profile, text);
    if (isMeant?.includes(1) === false && text !== undefined) {
      refused ??= noFunction(profile, text);
      continue;
    }
    isFound = true;
    const head = { recording, event: profile.events[event]?.name ?? '' };
    const { unit } = weights;
    for (const row of rowsOf(verb, asked, isMeant, options)) rows.push({ ...head, ...row, unit });
  }
  if (!isFound && refused !== null) throw refused;
  return cutAnswer(verb, rows, options);
}

function cutAnswer(
  verb: AnsweredVerb,
  rows: readonly Row[],
  { limit, maxRows }: AnswerOptions,
): QueryAnswer {
  const columns = COLUMNS[verb];
  const shown = rows.slice(0, Math.min(limit, maxRows));
  return {
    columns,
    rows: shown.map((row) => columns.map((name) => row[name] ?? null)),
    isCut: Math.min(rows.length, limit) > maxRows,
  };
}

const EDGE = (other: string): string[] =>
  `recording event func ${other} ${other}_dso weight unit share low high samples`.split(' ');

const COLUMNS: Readonly<Record<AnsweredVerb, readonly string[]>> = {
  top: 'recording event weight unit share low high dso func'.split(' '),
  callers: EDGE('caller'),
  callees: EDGE('callee'),
  lines: 'recording event func file line self total unit share low high'.split(' '),
  diff: 'event before after delta low high verdict dso func'.split(' '),
};

/** The changes of shares, largest first, of the event asked for, else of the first. */
async function diffRows(
  recordings: readonly QueriedRecording[],
  open: (file: string) => Promise<AnalysedProfile>,
  { func, event, weight, sides }: AnswerOptions,
): Promise<Row[]> {
  const files = new Map<number, ComparedFile>();
  for (const { recording, file } of recordings) {
    files.set(recording, { path: file, opened: await open(file) });
  }
  const sideOf = (numbers: readonly number[] = []) =>
    numbers.flatMap((number) => files.get(number) ?? []);
  const { comparisons } = compareRecordings(sideOf(sides?.old), sideOf(sides?.new), {
    ...(event !== undefined && { event }),
    ...(weight !== undefined && { weight }),
    by: 'share',
  });
  const [{ event: name, functions }] = comparisons;
  const meant = func === undefined ? functions : fittingNames(func, functions);
  if (meant.length === 0 && func !== undefined) throw noFunctionNamed(func, functions);
  return meant.map(({ share, dso, name: label }) => ({
    event: name,
    before: share.there,
    after: share.here,
    delta: share.delta,
    ...ends(share.interval),
    verdict: share.isCertain ? (share.delta > 0 ? 'more' : 'less') : 'not distinguishable',
    dso,
    func: label,
  }));
}

/** Heaviest first. `isMeant` null: all functions. */
function rowsOf(
  verb: Exclude<AnsweredVerb, 'diff'>,
  asked: Asked,
  isMeant: Uint8Array | null,
  { by = 'self' }: VerbOptions,
): Row[] {
  if (verb === 'top') return topRows(asked, isMeant, by);
  const meant = isMeant ?? new Uint8Array(asked.profile.funcs.length).fill(1);
  return verb === 'lines' ? lineRows(asked, meant) : edgeRows(asked, meant, verb);
}

function topRows(asked: Asked, isMeant: Uint8Array | null, by: 'self' | 'total'): Row[] {
  const report = reportFunctions(asked, by === 'total');
  return topFunctions(report, by)
    .filter(({ func }) => isMeant === null || isMeant[func] === 1)
    .map(({ func, weight, share, interval }) => {
      const { name, dso } = nameFunction(asked.profile, func);
      return { weight, share, ...ends(interval), dso, func: name };
    });
}

function edgeRows(asked: Asked, isMeant: Uint8Array, side: NeighbourSide): Row[] {
  const { profile } = asked;
  const other = side === 'callers' ? 'caller' : 'callee';
  const labels = Array.from(isMeant.keys())
    .filter((func) => isMeant[func] === 1)
    .map((func) => nameFunction(profile, func as FuncIndex));
  const func = [...new Set(labels.map(({ name }) => name))].join(', ');
  return finish(findNeighbours(asked, isMeant, side)).map((neighbour) => {
    const self = side === 'callees' ? labels[0].dso : '';
    const named =
      neighbour.func === null
        ? { name: NOBODY[side], dso: self }
        : nameFunction(profile, neighbour.func);
    const { weight, share, interval, samples } = neighbour;
    const edge = { [other]: named.name, [`${other}_dso`]: named.dso };
    return { func, ...edge, weight, share, ...ends(interval), samples };
  });
}

function lineRows(asked: Asked, isMeant: Uint8Array): Row[] {
  const { profile } = asked;
  return finish(findLines(asked, isMeant)).rows.map((row) => ({
    func: nameFunction(profile, row.func).name,
    file: row.file < 0 ? null : profile.strings[row.file],
    line: row.line,
    self: row.weight,
    total: row.total,
    share: row.share,
    ...ends(row.interval),
  }));
}

function ends(interval: { low: number; high: number } | null) {
  return { low: interval?.low ?? null, high: interval?.high ?? null };
}
