import { formatCount, formatNanos, formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import {
  areLossesKnown,
  type Finding,
  type FindingCode,
  findingText,
  subjectOf,
} from '../../findings/finding.ts';
import { adviceFor, MATTERS } from '../../period/report/advice.ts';
import { COMPARED_KINDS } from '../../period/report/disagreement.ts';
import type { EventReport } from '../../period/report/event-report.ts';
import { eventLines, type Line, present, streamLines } from '../../period/report/lines.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import type { StreamReport } from '../../period/report/stream-report.ts';
import type { Verdict } from '../../period/report/verdict.ts';
import * as words from '../../period/report/words.ts';
import { toAscii } from './ascii.ts';
import { clip } from './clip.ts';
import { createPaint, type Paint } from './paint.ts';
import { drawEventRate, drawPeriods } from './periods-plot.ts';
import { formatTable } from './table.ts';
import type { Terminal } from './terminal.ts';
import { wrapText } from './wrap.ts';

export type PeriodsTextOptions = {
  /** Terminal colours; default none. */
  readonly colour?: boolean;
  /** Default: 100 columns, Unicode. */
  readonly terminal?: Terminal;
  /** The findings about the recording, and the row of each event of the report in its profile; default none. */
  readonly findings?: readonly Finding[];
  readonly eventRows?: readonly number[];
  /** Whether each stream has a row also where no period adapts, and limits that did not change are named; default true. */
  readonly isWhole?: boolean;
  /** Whether the course of samples is drawn also where no period adapts; default false. */
  readonly drawsRate?: boolean;
};

/** The parts of an event that are shown, and the terminal that shows them. */
type EventLook = {
  readonly paint: Paint;
  readonly terminal: Terminal;
  readonly isWhole: boolean;
  readonly drawsRate: boolean;
  readonly areAllLossesKnown: boolean;
};

const WIDE: Terminal = { columns: 100, hasUnicode: true };

const INDENT = '  ';
const LABEL_WIDTH = 'not-converged'.length;
const TEXT_COLUMN = INDENT.length + LABEL_WIDTH + 2;

/**
 * `perf-ts periods` for a person, line by line: what happened, whether it matters for this profile,
 * what to do.
 */
export function formatPeriods(report: PeriodsReport, options: PeriodsTextOptions = {}): string[] {
  const terminal = options.terminal ?? WIDE;
  const paint = createPaint(options.colour ?? false);
  const { findings = [], eventRows = [], isWhole = true, drawsRate = false } = options;
  const all = findingRows(findings, null);
  const areAllLossesKnown = areLossesKnown(findings);
  const look = { paint, terminal, isWhole, drawsRate, areAllLossesKnown };
  const sections = report.events.map((event, index) =>
    formatEvent(event, findingRows(findings, eventRows[index] ?? index), look),
  );
  if (all.length > 0) sections.unshift(layOut(all, paint, terminal));
  const lines = sections.flatMap((section, index) => (index === 0 ? section : ['', ...section]));
  const limits = words.limitText(report.kernel);
  if (limits !== null && (limits.isLowered || isWhole)) {
    const colour = limits.isLowered ? paint.yellow : paint.dim;
    lines.push('', ...wrapText(limits.text, terminal.columns).map((line) => colour(line)));
  }
  return terminal.hasUnicode ? lines : lines.map(toAscii);
}

/** Findings that the rows about an event say with more figures. */
const IN_ROWS: readonly FindingCode[] = [
  'samples-none',
  'samples-lost',
  'samples-paused',
  'samples-in-step',
  'events-uncovered',
  'events-of-tails',
  'periods-unknown',
  'weights-disagree',
];

/** The findings about the records and the sampling of an event, or with null of the whole recording. */
function findingRows(findings: readonly Finding[], event: number | null): Line[] {
  return findings
    .filter(({ code, place }) => {
      if (place.event !== event || IN_ROWS.includes(code)) return false;
      return subjectOf(code) === 'file' || subjectOf(code) === 'sampling';
    })
    .map((finding) => [finding.severity === 'note' ? 'note' : 'trust', findingText(finding)]);
}

function formatEvent(event: EventReport, findings: readonly Line[], look: EventLook): string[] {
  const { paint, terminal, areAllLossesKnown } = look;
  const [largest] = event.streams;
  const lines = wrapText(words.headline(event), terminal.columns).map((line) => paint.bold(line));
  const add = (rows: readonly Line[]) => lines.push(...layOut(rows, paint, terminal));
  const isAdaptive = event.mode === 'frequency';
  // Streams whose period stays as it is differ in nothing that their event does not have.
  const hasRows = event.streamCount > 1 && (isAdaptive || look.isWhole);
  if (hasRows) {
    const introduction = isAdaptive ? '. The largest:' : '';
    add([['streams', `${words.streamsText(event)}${introduction}`]]);
  }
  if (largest) {
    if (isAdaptive || largest.verdict === 'throttled') {
      add([[largest.verdict, words.verdictText(event, largest)]]);
    }
    const plot = plotOf(event, largest, look);
    if (plot.length > 0) lines.push('', ...plot, '');
    if (isAdaptive) add(streamLines(largest, terminal.columns - TEXT_COLUMN));
    add([
      ...present('migrations', isAdaptive ? words.migrationsText(event) : null),
      ['counted', words.countedText(event, areAllLossesKnown)],
    ]);
  }
  const advice = adviceFor(event).map((text): Line => ['advice', text]);
  add([...eventLines(event, largest), ...advice, ...findings]);
  const table = disagreementTable(event);
  if (table.length > 0) lines.push('', ...table.map((row) => `${INDENT}${row}`));
  if (hasRows) lines.push('', ...streamTable(event));
  return lines;
}

/** The course of an event: its period's where it adapts, else on a terminal that of its samples. */
function plotOf(event: EventReport, largest: StreamReport, { terminal, drawsRate }: EventLook) {
  if (event.mode !== 'frequency') return drawsRate ? drawEventRate(event, terminal) : [];
  if (largest.verdict !== 'too-short') return drawPeriods(largest, event.targetHz, terminal);
  return event.streamCount > 1 ? drawEventRate(event, terminal) : [];
}

/** Label and text, the text broken into as many lines as it takes. */
function layOut(rows: readonly Line[], paint: Paint, { columns, hasUnicode }: Terminal): string[] {
  return rows.flatMap(([label, text]) =>
    // The ASCII likeness may be longer.
    wrapText(hasUnicode ? text : toAscii(text), columns - TEXT_COLUMN).map((line, i) => {
      const head = i === 0 ? colourOf(label, paint)(label.padEnd(LABEL_WIDTH)) : '';
      return i === 0 ? `${INDENT}${head}  ${line}` : `${' '.repeat(TEXT_COLUMN)}${line}`;
    }),
  );
}

function colourOf(label: string, paint: Paint): (text: string) => string {
  switch (label as Verdict | 'advice' | 'lost' | 'matters' | 'trust') {
    case 'converged':
    case 'fixed':
      return paint.green;
    case 'not-converged':
    case 'throttled':
    case 'lost':
    case 'trust':
      return paint.red;
    case 're-ramped':
    case 'too-short':
      return paint.yellow;
    case 'advice':
    case 'matters':
      return paint.cyan;
    default:
      return paint.dim;
  }
}

const NAME_COLUMNS = 40;

/** The functions on which the weights differ most, a line each below a header; else nothing. */
function disagreementTable({ weights }: EventReport): string[] {
  if (weights === null || weights.functions.length === 0) return [];
  const { samples, period } = weights.distance;
  if (Math.max(samples ?? 0, period ?? 0) < MATTERS) return [];
  const kinds = COMPARED_KINDS.filter((kind) =>
    weights.functions.some((shares) => shares[kind] !== null),
  );
  const rows = weights.functions.map((shares) => [
    clip(printable(shares.function), NAME_COLUMNS),
    ...kinds.map((kind) => {
      const share = shares[kind];
      return share === null ? '–' : formatShare(share);
    }),
  ]);
  const right = kinds.map((_, i) => i + 1);
  return formatTable(['self share of the profile by', ...kinds], rows, { right });
}

const HEADER = ['stream', 'tid', 'CPU', 'samples', 'verdict', 'settled after', 'Hz', 'period'];
/** The columns of figures, aligned to the right. */
const NUMBERS = [0, 1, 2, 3, 6, 7];
/** More ids than this are only counted. */
const MAX_IDS = 2;

/** The streams of an event as an aligned table, with a last row for those that were left out. */
function streamTable(event: EventReport): string[] {
  const rows = event.streams.map(streamRow);
  const rest = event.restOfStreams;
  if (rest) {
    const [streams, samples] = [rest.streams, rest.samples].map(formatCount);
    rows.push([`${streams} more`, '', '', samples, ...['', '', '', '']]);
  }
  return formatTable(HEADER, rows, { right: NUMBERS }).map((row) => `  ${row}`);
}

function streamRow(stream: StreamReport): string[] {
  const { steady } = stream;
  return [
    stream.streamId ?? '–',
    ids(stream.tids),
    ids(stream.cpus),
    formatCount(stream.samples),
    stream.verdict,
    settledAfter(stream),
    steady === null ? '–' : formatCount(steady.hz),
    steady === null ? '–' : formatCount(steady.period.median),
  ];
}

function settledAfter({ verdict, settleSamples, settleNs }: StreamReport): string {
  if (settleSamples === null || verdict === 'fixed') return '–';
  if (settleSamples === 0) return 'at once';
  return `${formatCount(settleSamples)} (${formatNanos(settleNs ?? 0)})`;
}

function ids(values: readonly number[]): string {
  return values.length > MAX_IDS
    ? `${formatCount(values.length)} of them`
    : values.join(',') || '–';
}
