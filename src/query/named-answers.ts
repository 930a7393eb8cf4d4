import { UsageError } from '../base/errors.ts';
import { finish } from '../base/slices.ts';
import { commandOnly } from '../base/words.ts';
import { flagFunctions, noFunction } from '../profile/analysis/find-functions.ts';
import type { FuncIndex, WeightKind } from '../profile/types.ts';
import { findLines } from '../questions/lines.ts';
import { findNeighbours, type NeighbourSide, NOBODY } from '../questions/neighbours.ts';
import type { Asked } from '../questions/shares-by-key.ts';
import { nameFunction, reportFunctions, topFunctions } from '../questions/top.ts';
import type { AnalysedProfile } from '../read/outputs/analysed-profile.ts';
import { askAboutEvent } from '../read/outputs/asked-event.ts';
import type { QueryAnswer, QueryValue } from './engine.ts';
import type { QueriedRecording } from './open-recordings.ts';
import type { QueryVerb, VerbOptions } from './verbs.ts';

/** Questions about files that need no engine: the rooms above answer them. */
const ANSWERED = ['top', 'callers', 'callees', 'lines'] as const;
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
  const { func: text, event: eventName, weight: kind, limit, maxRows } = options;
  if (verb !== 'top' && text === undefined) {
    throw new UsageError(`${verb}: of which function?`, [
      commandOnly(`perf-ts query ${verb} --func NAME`),
    ]);
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
};

/** Heaviest first. `isMeant` null: all functions. */
function rowsOf(
  verb: AnsweredVerb,
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
