import { NONE } from '../../base/brand.ts';
import { markdownCode, markdownTable } from '../../base/markdown.ts';
import { formatCount, formatNanos, formatShare, formatShortWeight } from '../../base/numbers.ts';
import { finish } from '../../base/slices.ts';
import { doubtsOfEvents, findingText } from '../../findings/finding.ts';
import type { Change } from '../../profile/analysis/change.ts';
import { DIFF_MEASURES, type DiffMeasure, secondsOf } from '../../profile/analysis/diff-measure.ts';
import type { FlatReport } from '../../profile/analysis/flat-report.ts';
import { functionsNamed, meantTogether } from '../../profile/analysis/select/find-functions.ts';
import { recordedLength, sampledPartText } from '../../profile/sampled-time.ts';
import type { EventIndex } from '../../profile/types.ts';
import { numbered, openRecordings } from '../../query/open-recordings.ts';
import { awaitedBy } from '../../questions/awaits.ts';
import {
  certaintyNote,
  comparisonNotes,
  formatCompared,
  formatDelta,
  formatDeltaInterval,
  sensitivityNote,
} from '../../questions/compare-words.ts';
import { findLines } from '../../questions/lines.ts';
import type { MarkSummary } from '../../questions/marks.ts';
import { findNeighbours, nobodyOf } from '../../questions/neighbours.ts';
import { MEAN_TIMES, meanTimes } from '../../questions/requests.ts';
import type { Asked } from '../../questions/shares-by-key.ts';
import { nameFunction, reportFunctions, topFunctions } from '../../questions/top.ts';
import { sourceNotes, turnKind, turnWords } from '../../questions/turn-words.ts';
import { SourceFiles } from '../../read/code/source-files.ts';
import type { AnalysedProfile } from '../../read/outputs/analysed-profile.ts';
import { askAboutEvent } from '../../read/outputs/asked-event.ts';
import { type ComparedFile, compareRecordings } from '../../read/outputs/compare-recordings.ts';
import { findingsOf } from '../../read/outputs/findings-of.ts';
import {
  type FunctionRatios,
  functionRatios,
  ratiosOfSamples,
} from '../../read/outputs/function-ratios.ts';
import { stateOfFile } from '../../system/small-file.ts';
import {
  answerText,
  quotedName,
  ratioCells,
  ratioTitles,
  rowsThatFit,
  shareTable,
} from './answer-text.ts';
import type { ArgumentSchema } from './input-schema.ts';
import type { Tool, ToolCall } from './protocol.ts';

/** Opens a recording by its path. */
type Open = (file: string, onShare?: ToolCall['onShare']) => Promise<AnalysedProfile>;
type Input = Readonly<Record<string, unknown>>;

const FILE = { type: 'string', description: 'path of the recording' } as const;
const FILES = {
  anyOf: [FILE, { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10 }],
} as const;
const EVENT = { type: 'string', description: 'event; default the first' } as const;
const LIMIT = {
  type: 'integer',
  minimum: 1,
  maximum: 100,
  description: 'rows; default 20',
} as const;
const FUNC = {
  type: 'string',
  description: 'NAME, NAME FILE, NAME FILE:LINE, a glob or /EXPRESSION/',
} as const;
const DEFAULT_LIMIT = 20;
const MAX_FINDINGS = 16;
const MAX_SENTENCE = 300;
/** Findings above a table; `open` has all. */
const MAX_DOUBTS = 3;
/** Findings above the changes between several recordings. */
const MAX_DIFF_DOUBTS = 8;
const SQL_ROWS = 50;
const SQL_SECONDS = 30;

/** Recordings that stay open between questions: each takes hundreds of megabytes where it is large. */
const MOST_OPEN = 20;

/** Opens recordings that stay open between questions, as long as their files are the same. */
function keepOpen(open: Open): Open {
  const known = new Map<string, { readonly state: string; profile: Promise<AnalysedProfile> }>();
  return (file, onShare) => {
    const state = stateOfFile(file);
    const before = known.get(file);
    known.delete(file);
    const profile = before?.state === state ? before.profile : open(file, onShare);
    known.set(file, { state, profile });
    for (const oldest of [...known.keys()].slice(0, -MOST_OPEN)) known.delete(oldest);
    profile.catch(() => known.delete(file));
    return profile;
  };
}

/** One event of a recording, with its functions. */
type EventFigures = Asked & {
  readonly opened: AnalysedProfile;
  readonly event: EventIndex;
  readonly report: FlatReport;
};

/** The eight tools. */
export function perfTools(open: Open): Tool[] {
  const kept = keepOpen(open);
  const opened = (input: Input, call?: ToolCall): Promise<AnalysedProfile> =>
    kept(textOf(input, 'file'), call?.onShare);
  const figures = async (input: Input, call?: ToolCall): Promise<EventFigures> => {
    const profile = await opened(input, call);
    const asked = askAboutEvent(profile, eventIn(input));
    return { opened: profile, ...asked, report: reportFunctions(asked, true) };
  };
  return [
    tool(
      'open',
      'What a recording is: events, samples, losses, what it cannot tell. Begin with it.',
      { file: FILE },
      ['file'],
      async (input, call) => openAnswer(await opened(input, call)),
    ),
    tool(
      'top',
      'Functions by what they did themselves (self) or with all they called (total). Shares are of all events; two whose intervals overlap may be in either order. With events that were counted together also instructions per cycle, misses per 1000 instructions and the like.',
      { file: FILE, event: EVENT, by: { enum: ['self', 'total'] }, limit: LIMIT },
      ['file'],
      async (input, call) => topAnswer(await figures(input, call), input),
    ),
    tool(
      'callers_callees',
      'Who called a function, or what it called. Recursion counts once.',
      {
        file: FILE,
        func: FUNC,
        side: { enum: ['callers', 'callees'] },
        event: EVENT,
        limit: LIMIT,
      },
      ['file', 'func', 'side'],
      async (input, call) => edgesAnswer(await figures(input, call), input),
    ),
    tool(
      'source',
      'Lines of a function with their self shares and, where it may be read, their text.',
      { file: FILE, func: FUNC, event: EVENT, limit: LIMIT },
      ['file', 'func'],
      async (input, call) => sourceAnswer(await figures(input, call), input),
    ),
    tool(
      'turns',
      'How long event loops of Node were busy at a time, what the slowest did or waited for, by own function.',
      { file: FILE, event: EVENT, over_ms: { type: 'number', exclusiveMinimum: 0 }, limit: LIMIT },
      ['file'],
      async (input, call) => turnsAnswer(await opened(input, call), input),
    ),
    tool(
      'requests',
      'Requests of Node servers by route: count, latency, share; then collections, calls, measures, who awaits.',
      { file: FILE, limit: LIMIT },
      ['file'],
      async (input, call) => requestsAnswer(await opened(input, call), input),
    ),
    tool(
      'diff',
      'Self of newer recordings against older ones, with whether that can be told apart: as recorded, per second or as shares. Several a side tell how far runs differ.',
      { old: FILES, new: FILES, event: EVENT, by: { enum: DIFF_MEASURES }, limit: LIMIT },
      ['old', 'new'],
      async (input) => {
        const side = (key: string) => openAll(filesOf(input, key), kept);
        return diffAnswer(await side('old'), await side('new'), input);
      },
    ),
    tool(
      'sql',
      'DuckDB over one recording. Views: top_self and top_total with intervals, callers, callees, lines, timeline, periods, ledger; tables: recordings, events, samples, stacks, frames, functions, ratios (instructions per cycle …), threads, streams, marks, turns (of event loops), awaits, losses. Sums of samples.weight have no interval.',
      { file: FILE, sql: { type: 'string' } },
      ['file', 'sql'],
      async (input, call) => sqlAnswer(() => opened(input, call), input, call?.signal),
    ),
  ];
}

function openAll(files: readonly string[], open: Open): Promise<ComparedFile[]> {
  return Promise.all(files.map(async (path) => ({ path, opened: await open(path) })));
}

function tool(
  name: string,
  description: string,
  properties: Readonly<Record<string, ArgumentSchema>>,
  required: readonly string[],
  answer: Tool['answer'],
): Tool {
  const inputSchema = {
    type: 'object',
    properties,
    required,
  } as const;
  const annotations = { readOnlyHint: true } as const;
  return { name, description, inputSchema, annotations, answer };
}

function openAnswer(opened: AnalysedProfile): string {
  const { profile } = opened;
  const { meta, samples, events } = profile;
  const ledgers = opened.ledgers();
  const part = sampledPartText(recordedLength(profile));
  const rows = events.map(({ name, mode, unit }, event) => {
    const { samples: arrived, lostSamples, coverage } = ledgers[event];
    return [
      quotedName(name),
      mode,
      unit,
      formatCount(arrived),
      `${formatCount(lostSamples)}${coverage === null ? '' : `, ${formatShare(coverage)} arrived`}`,
    ];
  });
  const findings = findingsOf(opened).slice(0, MAX_FINDINGS);
  return answerText(
    [
      `${formatCount(samples.length)} samples in ${secondsOf(profile)?.toFixed(3) ?? 'unknown'} s${part === null ? '' : ` (${part}: the rest is not known, not idle)`}, ${profile.threads.length} threads, command ${quotedName(meta.commandLine.join(' '))}`,
      '',
      ...markdownTable(['event', 'mode', 'unit', 'samples', 'lost'], rows.slice(0, 20)),
      '',
      opened.hasStacks ? 'Stacks were recorded.' : 'No stacks: callers cannot be told.',
      ...findings.map(
        (finding) => `${finding.severity}: ${finding.code}: ${sentenceOf(findingText(finding))}`,
      ),
    ],
    'top with by "self", then callers_callees of what is large.',
  );
}

function topAnswer(figures: EventFigures, input: Input): string {
  const by = input.by === 'total' ? 'total' : 'self';
  const { opened, report, profile } = figures;
  const found = functionRatios(opened);
  const ratios = found?.ratios ?? [];
  const rows = topFunctions(report, by).map(({ func, share, interval }) => {
    const { name, dso } = nameFunction(profile, func);
    const ofFunction = ratioCells(ratios, (ratio) => (found as FunctionRatios)[by][ratio][func]);
    return { share, interval, cells: [quotedName(name), quotedName(dso), ...ofFunction] };
  });
  const lines = [
    ...headOf(figures),
    ...shareTable(
      [`function (${by})`, 'DSO', ...ratioTitles(opened.profile, ratios)],
      rows,
      limitOf(input),
    ),
  ];
  return answerText(lines, 'callers_callees of a function, or source for its lines.');
}

function turnsAnswer(opened: AnalysedProfile, input: Input): string {
  const { profile } = opened;
  const event = eventIn(input);
  const over = input.over_ms as number | undefined;
  const report = opened.turns({
    limit: limitOf(input),
    ...(over !== undefined && { over }),
    ...(event !== undefined && { event }),
  });
  const { turns } = profile;
  if (turns === undefined || report === null) {
    return answerText(
      [
        'The recording has no turns: nothing of perf-ts was in a Node program that it recorded, and no waits of loops were.',
      ],
      'top.',
    );
  }
  const loops = report.loops.map(({ loop, turns: count, ...lengths }) => [
    `${turns.loops[loop].pid}/${turns.loops[loop].tid}`,
    formatCount(count),
    ...[lengths.p50Ns, lengths.p99Ns, lengths.longestNs].map(formatNanos),
  ]);
  const slow = report.slowest.map((each) => [
    formatNanos(turns.fromNs[each.turn]),
    formatNanos(turns.toNs[each.turn] - turns.fromNs[each.turn]),
    [
      turnKind(turns, each.turn),
      ...turnWords(profile, turns, each).map(({ how, name, amount }) =>
        [how, name === '' ? '' : quotedName(name), amount].filter((word) => word !== '').join(' '),
      ),
    ]
      .filter((part) => part !== '')
      .join('; '),
  ]);
  return answerText(
    [
      ...markdownTable(
        ['loop (pid/tid)', 'turns', 'p50', 'p99', 'longest'],
        rowsThatFit(loops.slice(0, 20)),
      ),
      ...sourceNotes(turns),
      '',
      ...markdownTable(['at', 'took', 'in'], rowsThatFit(slow)),
    ],
    'source of a function, or callers_callees.',
  );
}

function requestsAnswer(opened: AnalysedProfile, input: Input): string {
  const report = opened.requests();
  const marks = opened.programMarks().filter(({ kind }) => kind !== 'request');
  const awaits = awaitLines(opened, limitOf(input));
  if (report === null && marks.length === 0 && awaits.length === 0) {
    return answerText(
      ['The recording has no requests: nothing of perf-ts was in a Node program that it recorded.'],
      'top.',
    );
  }
  const limit = limitOf(input);
  const times = ({ count, open, p50Ns, p99Ns, longestNs }: Omit<MarkSummary, 'kind'>) => [
    formatCount(count),
    formatCount(open),
    ...[p50Ns, p99Ns, longestNs].map(formatNanos),
  ];
  const routes = report?.routes
    .slice(0, limit)
    .map((route) => [
      quotedName(route.name),
      ...times(route),
      formatShare(route.share),
      route.weight === 0 ? '' : formatShare(route.inHandler / route.weight),
    ]);
  const head = ['requests', 'not ended', 'p50', 'p99', 'longest'];
  return answerText(
    [
      ...markdownTable(
        ['route', ...head, 'share', 'certain part of it'],
        rowsThatFit(routes ?? []),
      ),
      '',
      ...(report?.untold ?? []).map(
        ({ while: during, share }) =>
          `Share put down to no route (${during}): ${formatShare(share)}.`,
      ),
      '',
      ...markdownTable(
        ['route', ...MEAN_TIMES],
        rowsThatFit(
          (report?.routes ?? [])
            .filter(({ times }) => times !== null)
            .slice(0, limit)
            .map((route) => [
              quotedName(route.name),
              ...meanTimes(route).map((ns) => (ns === null ? '' : formatNanos(Math.max(0, ns)))),
            ]),
        ),
      ),
      '',
      ...markdownTable(
        ['kind', 'name', 'count', ...head.slice(1)],
        rowsThatFit(
          marks.slice(0, limit).map((mark) => [mark.kind, quotedName(mark.name), ...times(mark)]),
        ),
      ),
      '',
      ...awaits,
    ],
    'turns for what kept the event loop, or source of a function.',
  );
}

/** None where `record --async-stacks` did not record who awaits. */
function awaitLines(opened: AnalysedProfile, limit: number): string[] {
  const profile = opened.profileAt('all');
  const rows = opened.awaits()?.map((row) => ({
    ...row,
    cells: [
      quotedName(nameFunction(profile, row.resumed).name),
      quotedName(awaitedBy(profile, row) ?? '(not known)'),
    ],
  }));
  return rows ? shareTable(['resumed function', 'awaited by'], rows, limit) : [];
}

/** Which functions are meant, where their name is that of several. */
function meantLines({ profile }: EventFigures, isMeant: Uint8Array): string[] {
  const together = meantTogether(profile, isMeant);
  return together === null ? [] : [`${markdownCode(together)}.`, ''];
}

function edgesAnswer(figures: EventFigures, input: Input): string {
  const side = input.side === 'callees' ? 'callees' : 'callers';
  const { opened, profile } = figures;
  const isMeant = functionsNamed(profile, textOf(input, 'func'));
  const found = finish(findNeighbours(figures, isMeant, side));
  const rows = found.map(({ func, share, interval }) => {
    const name =
      func === null ? nobodyOf(side, opened.hasStacks) : nameFunction(profile, func).name;
    return { share, interval, cells: [quotedName(name)] };
  });
  const total = rows.reduce((sum, { share }) => sum + share, 0);
  const lines = [
    ...headOf(figures),
    ...meantLines(figures, isMeant),
    `The function is on the stack of ${formatShare(total)} of everything; ${side}:`,
    '',
    ...shareTable([side], rows, limitOf(input)),
  ];
  return answerText(lines, `callers_callees of the largest of these ${side}, or source.`);
}

function sourceAnswer(figures: EventFigures, input: Input): string {
  const { profile } = figures;
  const isMeant = functionsNamed(profile, textOf(input, 'func'));
  const found = finish(findLines(figures, { isMeant }));
  const sources = new SourceFiles(profile, textOf(input, 'file'));
  const { ratios, estimates } = ratiosOfSamples(
    figures.opened,
    found.rowOfSample,
    found.rows.length,
  );
  const rows = found.rows
    .map(({ file, line, share, interval }, row) => {
      const isKnown = file !== NONE && line !== 0;
      return {
        share,
        interval,
        cells: [
          quotedName(isKnown ? `${profile.strings[file]}:${line}` : 'line not known'),
          quotedName(lineText(sources, file, line)),
          ...ratioCells(ratios, (ratio) => estimates[ratio][row]),
        ],
      };
    })
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share);
  const titles = ['line', 'text', ...ratioTitles(profile, ratios)];
  const table = shareTable(titles, rows, limitOf(input));
  const lines = [...headOf(figures), ...meantLines(figures, isMeant), ...table];
  return answerText(lines, 'callers_callees with side "callees" for what the function called.');
}

/** '' where the text may not be read, or is not there. */
function lineText(sources: SourceFiles, file: number, line: number): string {
  if (file === NONE || line === 0) return '';
  try {
    return sources.read(file).split('\n')[line - 1]?.trim() ?? '';
  } catch {
    return '';
  }
}

function diffAnswer(
  older: readonly ComparedFile[],
  newer: readonly ComparedFile[],
  input: Input,
): string {
  const event = eventIn(input);
  const by = DIFF_MEASURES.find((measure) => measure === input.by);
  const asked = { ...(event !== undefined && { event }), ...(by !== undefined && { by }) };
  const { comparisons, doubts, notes } = compareRecordings(older, newer, asked);
  const [comparison] = comparisons;
  const { functions, unit, total } = comparison;
  const measure = comparison.by;
  const cells = ({ here, there, delta, interval, isCertain }: Change): string[] => [
    formatDelta(delta, measure, unit),
    interval === null ? 'no interval' : formatDeltaInterval(interval, measure, unit),
    isCertain ? 'differs' : 'not distinguishable',
    formatCompared(there, measure, unit),
    formatCompared(here, measure, unit),
  ];
  const everything = measure === 'share' ? null : total[measure];
  const rows = functions.slice(0, Math.min(limitOf(input), 40)).map((row) => {
    const { share } = row;
    const name = quotedName(row.name);
    return [
      ...cells(row[measure] ?? share),
      formatShare(share.there),
      formatShare(share.here),
      name,
    ];
  });
  const shown = rowsThatFit(
    everything === null ? rows : [[...cells(everything), '', '', 'everything'], ...rows],
  );
  const left = functions.length - shown.length + (everything === null ? 0 : 1);
  const columns = ['change', '95 % interval', '', 'old', 'new', 'share old', 'new', 'function'];
  return answerText(
    [
      `event ${quotedName(comparison.event)}: self, new less old, ${MEASURED[measure]}. ${certaintyNote(comparison)}.`,
      ...doubts.slice(0, MAX_DIFF_DOUBTS).map((doubt) => `${sentenceOf(doubt)}.`),
      ...[sensitivityNote(comparison, quotedName), ...comparisonNotes(comparison), ...notes]
        .filter(Boolean)
        .map((note) => `${note}.`),
      '',
      ...markdownTable(columns, shown),
      '',
      `Left out: ${left} rows with smaller changes.`,
    ],
    'callers_callees of a function that differs, in both recordings.',
  );
}

const MEASURED: Readonly<Record<DiffMeasure, string>> = {
  absolute: 'as recorded',
  second: 'per second recorded',
  share: 'as shares of everything, in percentage points',
};

const NEXT_OF_ROWS =
  'top, callers_callees or source, which have intervals, where the answer decides something.';
const NEXT_OF_NOTHING =
  "top, for how names are spelt: no row has matched. That of a script has its place, so ask func like 'parse %'.";

async function sqlAnswer(
  open: () => Promise<AnalysedProfile>,
  input: Input,
  signal?: AbortSignal,
): Promise<string> {
  const sql = textOf(input, 'sql');
  const engine = await openRecordings(numbered([textOf(input, 'file')]), open, sql);
  try {
    const limits = { maxRows: SQL_ROWS, timeoutSeconds: SQL_SECONDS, ...(signal && { signal }) };
    const { columns, rows, isCut } = await engine.run(sql, limits);
    const cells = rows.map((row) =>
      row.map((value) => (typeof value === 'string' ? quotedName(value) : String(value))),
    );
    const shown = rowsThatFit(cells);
    const left =
      isCut || shown.length < cells.length
        ? `Left out: rows after the first ${shown.length}.`
        : 'Left out: nothing.';
    const table = markdownTable(columns.map(quotedName), shown);
    return answerText([left, '', ...table], cells.length === 0 ? NEXT_OF_NOTHING : NEXT_OF_ROWS);
  } finally {
    engine.close();
  }
}

function headOf({ opened, event, report }: EventFigures): string[] {
  const { name, unit } = opened.profile.events[event];
  const doubts = doubtsOfEvents(findingsOf(opened), [event]);
  return [
    `event ${quotedName(name)}: ${formatCount(report.samples)} samples, worth ${formatCount(Math.round(report.effectiveSamples ?? 0))} equal ones; ` +
      `all ${formatShortWeight(report.weight, unit)}, lost ${formatShare(report.weight === 0 ? 0 : report.lost / report.weight)}, without stack ${formatShare(report.weight === 0 ? 0 : report.withoutStack / report.weight)}`,
    ...doubts.slice(0, MAX_DOUBTS).map((finding) => `${sentenceOf(findingText(finding))}.`),
    '',
  ];
}

/** Names in it come from the recording. */
function sentenceOf(text: string): string {
  return markdownCode(text.slice(0, MAX_SENTENCE));
}

function textOf(input: Input, key: string): string {
  return String(input[key]);
}

/** One path, or several. */
function filesOf(input: Input, key: string): string[] {
  return Array.isArray(input[key]) ? (input[key] as string[]) : [textOf(input, key)];
}

function eventIn({ event }: Input): string | undefined {
  return event === undefined ? undefined : String(event);
}

function limitOf({ limit }: Input): number {
  return (limit as number | undefined) ?? DEFAULT_LIMIT;
}
