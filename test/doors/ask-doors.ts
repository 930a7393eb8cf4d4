// The doors of perf-ts, each asked the same questions about a recording. An answer has names, shares and intervals
// as the door gives them, so that all of them can be compared with one.

import { join } from 'node:path';
import { expect } from 'vitest';
import { NONE } from '../../src/base/brand.ts';
import { formatShare, formatShareInterval } from '../../src/base/numbers.ts';
import { finish } from '../../src/base/slices.ts';
import type { Finding } from '../../src/findings/finding.ts';
import { escapeFrameName } from '../../src/formats/export/folded.ts';
import { decodePageData, encodePageData } from '../../src/formats/export/page-data.ts';
import { decodePageReport, encodePageReport } from '../../src/formats/export/page-report.ts';
import { compareRecordings } from '../../src/index.ts';
import type { Change } from '../../src/profile/analysis/change.ts';
import { functionsNamed } from '../../src/profile/analysis/select/find-functions.ts';
import type { ShareInterval } from '../../src/profile/analysis/shares/share-steps.ts';
import { FUNC_CATEGORIES, type FuncIndex } from '../../src/profile/types.ts';
import { formatDeltaInterval } from '../../src/questions/compare-words.ts';
import { findLines } from '../../src/questions/lines.ts';
import { findNeighbours, nobodyOf } from '../../src/questions/neighbours.ts';
import { reportThreads } from '../../src/questions/threads.ts';
import { findTimeline } from '../../src/questions/timeline.ts';
import { nameFunction } from '../../src/questions/top.ts';
import { type OpenedProfile, openProfile } from '../../src/read/open-profile.ts';
import { askAboutEvent } from '../../src/read/outputs/asked-event.ts';
import { describePageProfile } from '../../src/read/outputs/describe-page-profile.ts';
import { describePageReport } from '../../src/read/outputs/describe-page-report.ts';
import { findingsOf } from '../../src/read/outputs/findings-of.ts';
import { quotedName } from '../../src/tools/mcp/answer-text.ts';
import { perfTools } from '../../src/tools/mcp/tools.ts';
import type { SandwichResult, TreeResult } from '../../web/src/worker/messages/messages.ts';
import { keepingNames, perfTs } from '../helpers/cli.ts';
import { createAnswers } from '../helpers/page-answers.ts';
import { scratchDirectory } from '../helpers/scratch.ts';
import { WHOLE, WHOLE_TREE } from '../helpers/selections.ts';

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
  /** Functions in the first second of the recording, by self. */
  readonly second: readonly AnswerRow[];
  /** Whole stacks, outermost function first, by the functions' names. */
  readonly stacks: readonly AnswerRow[];
  /** The recording compared with itself: self shares of the newer side, with the interval of the change. */
  readonly changes: readonly AnswerRow[];
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
  // An assistant gets the first letters of the longest names; folded names do not end in a space and a number.
  const nameAt = ({ name }: AnswerRow): string => {
    if (door === 'exported') return shortened(name);
    if (door === 'command' && question === 'stacks') {
      return name.split(';').map(escapeFrameName).join(';');
    }
    return door === 'assistant' ? quotedName(name).slice(1, -1) : name;
  };
  const asked = new Set(got.map(({ name }) => name));
  const isShown = ({ name }: AnswerRow): boolean => {
    // They show changes of nothing in no order, as many as fit: of functions of one name maybe another.
    if ((door === 'assistant' || door === 'page') && question === 'changes') {
      return asked.has(nameAt({ name })) && all.filter((row) => row.name === name).length === 1;
    }
    // The page draws neighbours as trees, in which nobody has no row, and of one function: another program of the machine
    // may have one of its name, which the library answers for as well.
    const isNeighbour = question === 'callers' || question === 'callees';
    if (door === 'page' && isNeighbour && all.filter((row) => row.name === name).length > 1)
      return false;
    if (door === 'page') return !NOBODIES.includes(name);
    // It answers about one function.
    return door !== 'annotated' || question === 'lines' || asked.has(name);
  };
  const heavy = heaviest(all.filter((row) => row.share !== 0 && isShown(row)));
  const expected = byName(heavy.map((row) => ({ ...row, name: nameAt(row) })));
  const names = new Set(expected.map(({ name }) => name));
  // Functions of one name may be several rows, of which the lightest are not compared.
  const least = Math.min(...expected.map(({ share = 0 }) => share));
  const found = byName(got.filter(({ name, share = least }) => names.has(name) && share >= least));
  const keys = Object.keys(got[0] ?? {}) as (keyof AnswerRow)[];
  const only = (row: AnswerRow) => Object.fromEntries(keys.map((key) => [key, row[key]]));
  // A measured share has no uncertainty, and no interval on the page.
  const isExact = ({ low, high }: AnswerRow): boolean =>
    door === 'page' && question !== 'changes' && typeof low === 'number' && low === high;
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
    // Reports of periods, which the page and the command take it from, have no event of waits.
    ledger: opened.reportedEvents().map((event) => {
      const { coverage, samples } = opened.ledgers()[event];
      return { name: profile.events[event].name, share: coverage ?? 1, samples };
    }),
    findings: findingsOf(opened).map(ofFinding),
    threads: ofThreads(reportThreads(asked).byThread, (thread) => profile.threads[thread].tid),
    second: firstSecondOf(opened),
    stacks: stacksOf(opened),
    changes: changesOf(file, opened),
  };
};

const NS_PER_SECOND = 1e9;
const FIRST_SECOND = { fromNs: 0, toNs: NS_PER_SECOND } as const;

function firstSecondOf(opened: OpenedProfile): AnswerRow[] {
  const asked = askAboutEvent(opened);
  const { profile, event } = asked;
  const rows = findTimeline(asked, (times) => askAboutEvent(opened, event, undefined, times));
  return [...rows]
    .filter(({ second }) => second === 0)
    .map(({ func, share, interval }) => rowOf(nameFunction(profile, func).name, share, interval));
}

/** Sums the weights of samples by the names on their stacks, with what was lost. */
function stacksOf(opened: OpenedProfile): AnswerRow[] {
  const { profile, rows, weights } = askAboutEvent(opened);
  const { stacks, frames, samples } = profile;
  const pathOf = (stack: number): string => {
    const names: string[] = [];
    for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
      names.unshift(nameFunction(profile, frames.func[stacks.frame[row]] as FuncIndex).name);
    }
    return names.join(';');
  };
  const sums = new Map<string, number>();
  for (const row of rows) {
    const path = pathOf(samples.stack[row]);
    sums.set(path, (sums.get(path) ?? 0) + weights.values[row]);
  }
  return sharesOf(sums);
}

/** Paths with their parts of the whole, by default of all of them. */
function sharesOf(sums: ReadonlyMap<string, number>, whole?: number): AnswerRow[] {
  const all = whole ?? [...sums.values()].reduce((before, sum) => before + sum, 0);
  return [...sums].map(([name, sum]) => ({ name, share: Number((sum / all).toFixed(6)) }));
}

function changesOf(path: string, opened: OpenedProfile): AnswerRow[] {
  const side = [{ path, opened }];
  const [comparison] = compareRecordings(side, side, { by: 'share' }).comparisons;
  return comparison.functions.map(({ name, share }) => changeOf(name, share as Change));
}

function changeOf(name: string, { here, interval }: Pick<Change, 'here' | 'interval'>): AnswerRow {
  return {
    ...{ name, share: round(here) },
    ...{ low: interval && round(interval.low), high: interval && round(interval.high) },
    text: `${formatShare(here)} ${interval && formatDeltaInterval(interval, 'share', '')}`,
  };
}

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
  const periods = file.endsWith('.data') ? json('periods', file).events : [];
  const { startTime } = (await openForDoors(file)).recordedTime();
  const times = [startTime, startTime + BigInt(NS_PER_SECOND) - 1n].map(formatSeconds);
  const folded = perfTs(['export', file, '--format', 'folded', '-o', '-'], {
    env: keepingNames(),
  });
  return {
    ...(periods.length > 0 && {
      periods: periods[0].streams.map(ofStream),
      ledger: ledgerOf(periods),
    }),
    second: own(rowsOf('--time', times.join(',')), 'name', 'self').map(withoutSamples),
    stacks: stacksOfFolded(folded.stdout),
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

/** Seconds of a raw time, as `--time` takes them. */
function formatSeconds(time: bigint): string {
  const ns = `${time}`.padStart(10, '0');
  return `${ns.slice(0, -9)}.${ns.slice(-9)}`;
}

const withoutSamples = ({ samples: _, ...row }: AnswerRow): AnswerRow => row;

/** Folded lines begin with the comm, and one is what was lost. */
function stacksOfFolded(text: string): AnswerRow[] {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    const [, path, weight] = /^[^;]*(?:;(.*))? (\S+)$/.exec(line) ?? [];
    if (line === '' || line.startsWith('[lost] ')) continue;
    sums.set(path ?? '', (sums.get(path ?? '') ?? 0) + Number(weight));
  }
  return sharesOf(sums);
}

type Ledger = { readonly coverage: number | null; readonly samples: number };

function ledgerOf(events: readonly { readonly event: string; readonly ledger: Ledger }[]) {
  return events.map(({ event, ledger: { coverage, samples } }) => ({
    ...{ name: event, share: coverage ?? 1, samples },
  }));
}

/** `query` with its questions by name. */
export const query: Door = async (file, func) => {
  type Row = Readonly<Record<string, number | string | null>>;
  const documentOf = (question: string, ...args: readonly string[]) =>
    json('query', question, file, ...args, '-n', '10000');
  const rowsOf = (question: string, ...args: readonly string[]): Row[] =>
    documentOf(question, ...args).rows;
  const own = (rows: readonly Row[], nameOf: (row: Row) => string): AnswerRow[] =>
    rows.map((row) => {
      const { share, low, high, samples } = row;
      const interval = typeof low === 'number' && typeof high === 'number' ? { low, high } : null;
      const count = typeof samples === 'number' ? samples : undefined;
      return rowOf(nameOf(row), share as number, interval, count);
    });
  const top = documentOf('top');
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
    findings: top.recordings[0].findings.map(ofFinding),
    periods: rowsOf('periods')
      .filter(({ event }, _, rows) => event === rows[0].event)
      .map(({ stream_id, samples }) =>
        ofStream({ streamId: stream_id === '' ? null : `${stream_id}`, samples: Number(samples) }),
      ),
    second: own(
      rowsOf('timeline').filter(({ second }) => second === 0),
      ({ func }) => `${func}`,
    ),
    changes: rowsOf('diff', file).map(({ func, share_after, change_low, change_high }) =>
      changeOf(`${func}`, {
        here: Number(share_after),
        interval:
          change_low === null ? null : { low: Number(change_low), high: Number(change_high) },
      }),
    ),
    top: own(top.rows, ({ func }) => `${func}`),
    total: own(rowsOf('top', '--by', 'total'), ({ func }) => `${func}`),
    callers: own(rowsOf('callers', '--func', func), ({ caller }) => `${caller}`),
    callees: own(rowsOf('callees', '--func', func), ({ callee }) => `${callee}`),
    lines: own(rowsOf('lines', '--func', func), ({ file, line }) =>
      line === 0 ? '?' : `${file}:${line}`,
    ),
  };
};

/** SQL over the tables of a recording: sums without intervals. */
export const sql: Door = async (file, func) => {
  const { profile } = await openForDoors(file);
  const isMeant = functionsNamed(profile, func);
  const literals = [...isMeant.keys()]
    .filter((index) => isMeant[index] === 1)
    .map((index) => nameFunction(profile, index as FuncIndex).name)
    .map((name) => `'${name.replaceAll("'", "''")}'`);
  const ofFunc = `func in (${literals.join()})`;
  const select = (question: Question, name: string, view: string, condition: string) =>
    `select '${question}' as question, ${name} as name, v.share as share, 0 as samples
     from ${view} v join events e on e.event = 0 and v.event = e.name where ${condition}`;
  const line = "case when line = 0 then '?' else concat(file, ':', line) end";
  const asked = [
    select('top', 'func', 'top_self', 'true'),
    select('total', 'func', 'top_total', 'true'),
    select('callers', 'caller', 'callers', ofFunc),
    select('callees', 'callee', 'callees', ofFunc),
    select('lines', line, 'lines', ofFunc),
    select('second', 'func', 'timeline', 'second = 0'),
    `select 'stacks', path, sum(v.weight) / max(e.arrived), 0
     from folded v join events e on e.event = 0 and v.event = e.name where path <> '[lost]' group by path`,
    `select 'threads', cast(t.tid as text), sum(s.weight) / max(e.weight), count(*)
     from samples s join threads t on t.thread = s.thread join events e on e.event = s.event
     where s.event = 0 group by t.tid`,
    "select 'ledger', event, coalesce(coverage, 1), samples from ledger",
  ];
  type Row = { question: Question; name: string; share: number; samples: number };
  const all: readonly Row[] = json('query', asked.join(' union all '), file).rows;
  const answers: Partial<Record<Question, AnswerRow[]>> = {};
  for (const { question, name, share, samples } of all) {
    const row = { name, share: Number(share.toFixed(question === 'stacks' ? 6 : 9)) };
    answers[question] ??= [];
    answers[question].push(samples === 0 ? row : { ...row, samples });
  }
  return answers;
};

/** A profile of pprof that was exported, and opened again. It has scripts by their whole paths. */
export const exported: Door = async (file) => {
  const path = join(scratchDirectory(), 'exported.pb.gz');
  const { status, stderr } = perfTs(['export', file, '-o', path], { env: keepingNames() });
  expect([status, stderr]).toEqual([0, expect.anything()]);
  const opened = await openProfile(path);
  const { profile } = opened;
  const rows = opened.report().bySymbol;
  const nameOf = (index: number) => shortened(nameFunction(profile, index as FuncIndex).name);
  return {
    top: rows.map(({ func, selfShare }) => ({ name: nameOf(func), share: round(selfShare) })),
    total: rows.map(({ func, totalShare }) => ({ name: nameOf(func), share: round(totalShare) })),
    stacks: stacksOf(opened).map((row) => ({ ...row, name: shortened(row.name) })),
  };
};

const shortened = (name: string): string => name.replaceAll(`${process.cwd()}/`, '');

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
  const changed = await tools
    .find(({ name }) => name === 'diff')
    ?.answer({ old: file, new: file, by: 'share', limit: 100 });
  const changes = `${changed}`.split('\n').filter((line) => /^\| .*`/.test(line));
  const lines = await rowsOf('source', { func });
  const opening = (await tools.find(({ name }) => name === 'open')?.answer({ file })) ?? '';
  const judged = [...opening.matchAll(/^(?:wrong|doubt|note): ([a-z-]+): /gm)];
  return {
    findings: judged.map(([, name]) => ({ name })),
    changes: changes.map((line) => {
      const cells = line.slice(2, -2).split(' | ');
      return { name: cells[5 + 2].slice(1, -1), text: `${cells[6]} ${cells[1]}` };
    }),
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
  const { findings, periods } = decodePageReport(encodePageReport(describePageReport(opened)));
  return {
    ...askPage(bytes, func),
    findings: findings.map(ofFinding),
    // Waits have no periods.
    ...(periods.events.length > 0 && {
      periods: periods.events[0].streams.map(ofStream),
      ledger: ledgerOf(periods.events),
    }),
  };
};

/** Asks the page's worker as the page does when it has just been opened. */
export function askPage(bytes: Uint8Array<ArrayBuffer>, func: string): Partial<Answers> {
  const described = finish(decodePageData(bytes));
  const answers = createAnswers();
  const { threads } = answers.open({ slot: 0, side: 'here', bytes });
  answers.open({ slot: 1, side: 'there', bytes: bytes.slice() });
  const level = described.firstFrames ?? 'all';
  const selection = { ...WHOLE, weight: described.firstWeight, level };
  const table = (by: 'function' | 'thread', times = {}) =>
    answers.table({
      ...selection,
      ...times,
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
  const tree = answers.tree({ ...WHOLE_TREE, ...selection });
  const changes = answers.changes({ ...selection, by: 'share' });
  return {
    second: table('function', FIRST_SECOND)
      .filter(({ self }) => self > 0)
      .map((row) => rowOf(row.name, row.selfShare, row.selfInterval)),
    // Light branches are one row each.
    stacks: sharesOf(pathsOf(tree), tree.weight),
    changes: changes.rows.map(({ name, share }) => changeOf(name, share as Change)),
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

/** Self weights of a tree by the names from its root down. */
function pathsOf({ rows, labels }: TreeResult): Map<string, number> {
  const paths: string[] = [];
  const sums = new Map<string, number>();
  for (let row = 0; row < rows.prefix.length; row++) {
    const name = labels.name[rows.label[row]];
    const above = rows.prefix[row];
    paths.push(above === NONE ? name : `${paths[above]};${name}`);
    if (rows.self[row] > 0) sums.set(paths[row], (sums.get(paths[row]) ?? 0) + rows.self[row]);
  }
  return sums;
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
  const [event] = json('diff', file, file, '--by', 'share').events;
  type Row = Pick<Change, 'interval'> & { readonly name: string } & Record<
      'share' | 'otherShare',
      number
    >;
  const rows: readonly Row[] = event.changes;
  for (const { share, otherShare } of rows) expect(otherShare).toBe(share);
  return {
    top: rows.map(({ name, share }) => ({ name, share: round(share) })),
    changes: rows.map(({ name, share, interval }) => changeOf(name, { here: share, interval })),
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
  ...{ command, query, sql, assistant, page, difference, annotated, exported },
};
