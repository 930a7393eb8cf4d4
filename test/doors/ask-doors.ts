// The doors of perf-ts, each asked the same questions about a recording. An answer has names, shares and intervals
// as the door gives them, so that all of them can be compared with one.

import { expect } from 'vitest';
import { NONE } from '../../src/base/brand.ts';
import { formatShare, formatShareInterval } from '../../src/base/numbers.ts';
import { finish } from '../../src/base/slices.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { decodePageData, encodePageData } from '../../src/formats/export/page-data.ts';
import { decodePageReport, encodePageReport } from '../../src/formats/export/page-report.ts';
import { functionsNamed } from '../../src/profile/analysis/select/find-functions.ts';
import type { ShareInterval } from '../../src/profile/analysis/shares/share-steps.ts';
import { type EventIndex, FUNC_CATEGORIES } from '../../src/profile/types.ts';
import { findLines } from '../../src/questions/lines.ts';
import { findNeighbours, nobodyOf } from '../../src/questions/neighbours.ts';
import { reportThreads } from '../../src/questions/threads.ts';
import { nameFunction } from '../../src/questions/top.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { askAboutEvent } from '../../src/read/outputs/asked-event.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { describePageReport } from '../../src/read/outputs/describe-page-report.ts';
import { findingsOf } from '../../src/read/outputs/findings-of.ts';
import { quotedName } from '../../src/tools/mcp/answer-text.ts';
import { perfTools } from '../../src/tools/mcp/tools.ts';
import type { SandwichResult } from '../../web/src/worker/messages/messages.ts';
import { keepingNames, perfTs } from '../helpers/cli.ts';
import { createAnswers } from '../helpers/page-answers.ts';
import { WHOLE } from '../helpers/selections.ts';

/** One row of an answer; what a door does not show is absent, and not compared. */
export type AnswerRow = {
  readonly name: string;
  readonly share?: number;
  readonly low?: number | null;
  readonly high?: number | null;
  readonly samples?: number;
  /** Share and interval as people read them. */
  readonly text?: string;
};

export type Answers = {
  readonly top: readonly AnswerRow[];
  readonly total: readonly AnswerRow[];
  readonly callers: readonly AnswerRow[];
  readonly callees: readonly AnswerRow[];
  readonly lines: readonly AnswerRow[];
  /** By category of `FUNC_CATEGORIES`. */
  readonly owners: readonly AnswerRow[];
  /** By thread id. */
  readonly threads: readonly AnswerRow[];
  /** The streams of the first event, by their ids. */
  readonly periods: readonly AnswerRow[];
  /** Each event: how much of it arrived, in how many samples. */
  readonly ledger: readonly AnswerRow[];
  /** By code. */
  readonly findings: readonly AnswerRow[];
};
export type Question = keyof Answers;
export type Door = (file: string, func: string) => Promise<Partial<Answers>>;

/** Rows that are compared: those that weigh more than this one, so that equal ones may be in any order. */
const LAST_ROW = 12;

const round = (value: number): number => Number(value.toFixed(9));

function rowOf(
  name: string,
  share: number,
  interval: ShareInterval | null | undefined,
  samples?: number,
): AnswerRow {
  const ends = interval ? formatShareInterval(interval) : 'no interval';
  return {
    ...{ name, share: round(share), text: `${formatShare(share)} ${ends}` },
    ...{ low: interval ? round(interval.low) : null, high: interval ? round(interval.high) : null },
    ...(samples !== undefined && { samples }),
  };
}

/** The heaviest rows of an answer, by name. */
function heaviest(rows: readonly AnswerRow[]): AnswerRow[] {
  if (rows.length <= LAST_ROW) return byName(rows);
  const shares = rows.map(({ share = 0 }) => share).sort((a, b) => b - a);
  const least = shares[LAST_ROW] ?? 0;
  return byName(rows.filter(({ share = 0 }) => share > least));
}

const keyOf = ({ name, share, text }: AnswerRow): string => `${name} ${share} ${text}`;
const byName = (rows: readonly AnswerRow[]): AnswerRow[] =>
  [...rows].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

const NOBODIES = [true, false].flatMap((hasStacks) => [
  nobodyOf('callers', hasStacks),
  nobodyOf('callees', hasStacks),
]);

/** Compares what a door answers with the answer of the library, in what both have. */
export function expectSame(
  door: string,
  question: Question,
  got: readonly AnswerRow[],
  all: readonly AnswerRow[],
): void {
  // An assistant gets the first letters of the longest names.
  const nameAt = ({ name }: AnswerRow): string =>
    door === 'assistant' ? quotedName(name).slice(1, -1) : name;
  const asked = new Set(got.map(({ name }) => name));
  const isShown = ({ name }: AnswerRow): boolean => {
    // The page draws neighbours as trees, in which nobody has no row.
    if (door === 'page') return !NOBODIES.includes(name);
    // It answers about one function.
    return door !== 'annotated' || question === 'lines' || asked.has(name);
  };
  const expected = heaviest(all.filter((row) => row.share !== 0 && isShown(row))).map((row) => ({
    ...row,
    name: nameAt(row),
  }));
  const names = new Set(expected.map(({ name }) => name));
  const found = byName(got.filter(({ name }) => names.has(name)));
  const keys = Object.keys(got[0] ?? {}) as (keyof AnswerRow)[];
  const only = (row: AnswerRow) => Object.fromEntries(keys.map((key) => [key, row[key]]));
  // A measured share has no uncertainty, and no interval on the page.
  const isExact = ({ low, high }: AnswerRow): boolean =>
    door === 'page' && typeof low === 'number' && low === high;
  const shown = (row: AnswerRow): AnswerRow =>
    isExact(row) ? { ...row, ...rowOf(row.name, row.share ?? 0, null, row.samples) } : row;
  expect.soft({ door, question, rows: found.map(only) }).toEqual({
    door,
    question,
    rows: expected.map(shown).map(only),
  });
}

/** The answers that every door has to give: those of the library, with the defaults of the commands. */
export const library: Door = async (file, func) => {
  const opened = await openForDoors(file);
  const asked = askAboutEvent(opened);
  const { profile } = opened;
  const report = opened.report();
  const nameOf = (index: number) => nameFunction(profile, index as never).name;
  const isMeant = functionsNamed(profile, func);
  const neighbours = (side: 'callers' | 'callees') =>
    finish(findNeighbours(asked, isMeant, side)).map(({ func, share, interval, samples }) =>
      rowOf(
        func === null ? nobodyOf(side, opened.hasStacks) : nameOf(func),
        share,
        interval,
        samples,
      ),
    );
  const lines = finish(findLines(asked, { isMeant })).rows.map(({ file, line, share, interval }) =>
    rowOf(line === 0 ? '?' : `${profile.strings[file]}:${line}`, share, interval),
  );
  return {
    top: report.bySymbol.map(({ func, selfShare, selfInterval, selfSamples }) =>
      rowOf(nameOf(func), selfShare, selfInterval, selfSamples),
    ),
    total: report.bySymbol.map(({ func, totalShare, totalInterval }) =>
      rowOf(nameOf(func), totalShare, totalInterval),
    ),
    callers: neighbours('callers'),
    callees: neighbours('callees'),
    lines,
    owners: await ownersOf(file),
    periods: (opened.periods().events[0]?.streams ?? []).map(ofStream),
    ledger: opened.ledgers().map(({ coverage, samples }, event) => ({
      name: profile.events[event as EventIndex].name,
      share: coverage ?? 1,
      samples,
    })),
    findings: findingsOf(opened).map(ofFinding),
    threads: ofThreads(reportThreads(asked).byThread, (thread) => profile.threads[thread].tid),
  };
};

const ofStream = ({
  streamId,
  samples,
}: {
  readonly streamId: string | null;
  readonly samples: number;
}) => ({
  ...{ name: `${streamId}`, share: samples, samples },
});
const ofFinding = ({ code, sentence }: Finding) => ({ name: code, share: 1, text: sentence });

/** By thread id: a thread that became another program, or whose number was used again, has several rows. */
function ofThreads(
  rows: readonly { thread: number; selfShare: number; selfSamples: number }[],
  tidOf: (thread: number) => number,
): AnswerRow[] {
  const sums = new Map<number, { share: number; samples: number }>();
  for (const { thread, selfShare, selfSamples } of rows) {
    const { share, samples } = sums.get(tidOf(thread)) ?? { share: 0, samples: 0 };
    sums.set(tidOf(thread), { share: share + selfShare, samples: samples + selfSamples });
  }
  return [...sums].map(([tid, { share, samples }]) => ({
    name: `${tid}`,
    share: round(share),
    samples,
  }));
}

/** Whose code the innermost functions are, at the level where V8's way of running one is that function's own. */
async function ownersOf(file: string): Promise<AnswerRow[]> {
  const opened = await openProfile(file, { frames: 'javascript' });
  const { profile } = opened;
  const weights = new Map<string, number>();
  const { bySymbol, weight, lost } = opened.report();
  for (const { func, self } of bySymbol) {
    const category = FUNC_CATEGORIES[profile.funcs.category[func]];
    weights.set(category, (weights.get(category) ?? 0) + self);
  }
  expect(lost).toBe(0);
  return [...weights].map(([name, own]) => ({ name, share: round(own / weight) }));
}

function openForDoors(file: string): Promise<OpenedProfile> {
  return openProfile(file, { frames: 'auto', lines: true });
}

function json(...args: readonly string[]) {
  const { stdout, status } = perfTs([...args, '--json'], { env: keepingNames() });
  expect([args[0], status]).toEqual([args[0], 0]);
  return JSON.parse(stdout);
}

type ReportRow = Readonly<Record<string, number | string | null>> & {
  readonly selfShare: number;
  readonly totalShare: number;
  readonly samples: number;
};

/** `report --json` and `annotate --json`. */
export const command: Door = async (file) => {
  const rowsOf = (...args: readonly string[]): ReportRow[] =>
    json('report', file, ...args).events[0].rows;
  const own = (rows: readonly ReportRow[], key: string, by: 'self' | 'total'): AnswerRow[] =>
    rows.map((row) => {
      const [low, high] = [row[`${by}Low`], row[`${by}High`]];
      const interval = typeof low === 'number' && typeof high === 'number' ? { low, high } : null;
      const samples = by === 'self' ? row.samples : undefined;
      return rowOf(`${row[key]}`, row[`${by}Share`], interval, samples);
    });
  const report = json('report', file);
  const functions: ReportRow[] = report.events[0].rows;
  // An imported profile has no periods.
  const [periods] = file.endsWith('.data') ? json('periods', file).events : [];
  return {
    ...(periods !== undefined && { periods: periods.streams.map(ofStream) }),
    findings: report.findings.map(ofFinding),
    top: own(functions, 'name', 'self'),
    total: own(functions, 'name', 'total'),
    owners: rowsOf('--sort', 'category').map((row) => ({
      name: `${row.category}`,
      share: round(row.selfShare),
    })),
    threads: rowsOf('--sort', 'tid').map((row) => ({
      name: `${row.tid ?? -1}`,
      ...{ share: round(row.selfShare), samples: row.samples },
    })),
  };
};

/** `query` with its questions by name. */
export const query: Door = async (file, func) => {
  type Row = Readonly<Record<string, number | string | null>>;
  const rowsOf = (question: string, ...args: readonly string[]): Row[] =>
    json('query', question, file, '-n', '1000', ...args).rows;
  const own = (rows: readonly Row[], nameOf: (row: Row) => string): AnswerRow[] =>
    rows.map((row) => {
      const { share, low, high, samples } = row;
      const interval = typeof low === 'number' && typeof high === 'number' ? { low, high } : null;
      const count = typeof samples === 'number' ? samples : undefined;
      return rowOf(nameOf(row), share as number, interval, count);
    });
  return {
    threads: ofThreads(
      rowsOf('threads').map(({ tid, share, samples }) => ({
        ...{ thread: Number(tid), selfShare: Number(share), selfSamples: Number(samples) },
      })),
      (tid) => tid,
    ),
    ledger: rowsOf('ledger').map(({ event, coverage, samples }) => ({
      ...{ name: `${event}`, share: Number(coverage ?? 1), samples: Number(samples) },
    })),
    top: own(rowsOf('top'), ({ func }) => `${func}`),
    total: own(rowsOf('top', '--by', 'total'), ({ func }) => `${func}`),
    callers: own(rowsOf('callers', '--func', func), ({ caller }) => `${caller}`),
    callees: own(rowsOf('callees', '--func', func), ({ callee }) => `${callee}`),
    lines: own(rowsOf('lines', '--func', func), ({ file, line }) =>
      line === 0 ? '?' : `${file}:${line}`,
    ),
  };
};

/** Tables of an assistant's tools, where shares and intervals are texts. */
export const assistant: Door = async (file, func) => {
  const tools = perfTools(openForDoors);
  const rowsOf = async (name: string, input: object): Promise<AnswerRow[]> => {
    const tool = tools.find((each) => each.name === name);
    const text = (await tool?.answer({ file, limit: 100, ...input })) ?? '';
    const lines = text.split('\n').filter((line) => /^\| [\d.<]+%? \|/.test(line));
    return lines.map((line) => {
      const [share, interval, named] = line.slice(2, -2).split(' | ');
      return { name: named.slice(1, -1), text: `${share} ${interval}` };
    });
  };
  const lines = await rowsOf('source', { func });
  const opening = (await tools.find(({ name }) => name === 'open')?.answer({ file })) ?? '';
  const judged = [...opening.matchAll(/^(?:wrong|doubt|note): ([a-z-]+): /gm)];
  return {
    findings: judged.map(([, name]) => ({ name })),
    top: await rowsOf('top', { by: 'self' }),
    total: await rowsOf('top', { by: 'total' }),
    callers: await rowsOf('callers_callees', { func, side: 'callers' }),
    callees: await rowsOf('callers_callees', { func, side: 'callees' }),
    lines: lines.map((row) => (row.name === 'line not known' ? { ...row, name: '?' } : row)),
  };
};

/** The page of a file: its worker and its report. */
export const page: Door = async (file, func) => {
  const opened = await openProfile(file, { lines: true });
  const bytes = encodePageData(describePageProfile(opened));
  const { findings } = decodePageReport(encodePageReport(describePageReport(opened)));
  return { ...askPage(bytes, func), findings: findings.map(ofFinding) };
};

/** Asks the page's worker as the page does when it has just been opened. */
export function askPage(bytes: Uint8Array<ArrayBuffer>, func: string): Partial<Answers> {
  const described = finish(decodePageData(bytes));
  const answers = createAnswers();
  const { threads } = answers.open({ slot: 0, side: 'here', bytes });
  const level = described.firstFrames ?? 'all';
  const selection = { ...WHOLE, weight: described.firstWeight, level };
  const table = (by: 'function' | 'thread') =>
    answers.table({
      ...selection,
      ...{
        by,
        sort: 'self',
        descending: true,
        filter: '',
        intervals: true,
        first: 0,
        count: 10_000,
      },
    }).rows;
  const functions = table('function');
  const isMeant = functionsNamed(described.profile, func);
  const asked = functions.find(({ index }) => isMeant[index] === 1)?.index ?? -1;
  const sandwich = answers.sandwich({ ...selection, func: asked, search: '' });
  const neighbours = (side: 'callers' | 'callees') => nextTo(sandwich, side);
  const summary = answers.summary(selection);
  return {
    top: functions.map((row) => rowOf(row.name, row.selfShare, row.selfInterval, row.samples)),
    total: functions.map((row) => rowOf(row.name, row.totalShare, row.totalInterval)),
    callers: neighbours('callers'),
    callees: neighbours('callees'),
    owners: FUNC_CATEGORIES.map((name, group) => ({
      name,
      share: round(summary.byGroup[group] / summary.weight),
    })).filter(({ share }) => share > 0),
    threads: ofThreads(
      table('thread').map(({ index, selfShare, samples }) => ({
        ...{ thread: index, selfShare, selfSamples: samples },
      })),
      (thread) => threads[thread].tid,
    ),
  };
}

/** The rows next to the function, which is the only one below the root. */
function nextTo(sandwich: SandwichResult, side: 'callers' | 'callees'): AnswerRow[] {
  const { rows, labels, weight } = sandwich[side];
  const { low, high } = side === 'callers' ? sandwich.callerIntervals : sandwich.calleeIntervals;
  const found: AnswerRow[] = [];
  for (let row = 0; row < rows.prefix.length; row++) {
    if (rows.prefix[row] !== NONE || rows.folded[row] > 0) continue;
    const interval = Number.isNaN(low[row]) ? null : { low: low[row], high: high[row] };
    found.push(rowOf(labels.name[rows.label[row]], rows.total[row] / weight, interval));
  }
  return found;
}

/** `diff` of a recording with itself: both sides are what every other door answers. */
export const difference: Door = async (file) => {
  const [event] = json('diff', file, file).events;
  const rows: { name: string; share: number; otherShare: number }[] = event.changes;
  return {
    top: rows.map(({ name, share, otherShare }) => {
      expect(otherShare).toBe(share);
      return { name, share: round(share) };
    }),
  };
};

/** `annotate` of the function that is asked about. */
export const annotated: Door = async (file, func) => {
  const { functions } = json('annotate', file, func);
  type LineRow = Record<'selfShare' | 'samples', number> & {
    readonly file: string | null;
    readonly line: number | null;
    readonly selfInterval: ShareInterval | null;
  };
  const rows: { name: string; totalShare: number; lines: LineRow[] }[] = functions;
  return {
    total: rows.map(({ name, totalShare }) => ({ name, share: round(totalShare) })),
    lines: rows.flatMap(({ lines }) =>
      lines.map(({ file, line, selfShare, selfInterval }) =>
        rowOf(line === null ? '?' : `${file}:${line}`, selfShare, selfInterval),
      ),
    ),
  };
};

export const DOORS: Readonly<Record<string, Door>> = {
  ...{ command, query, assistant, page, difference, annotated },
};
