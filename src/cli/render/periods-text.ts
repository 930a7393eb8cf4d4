import pc from 'picocolors';
import type { EventReport } from '../../period/report/event-report.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import type { StreamReport } from '../../period/report/stream-report.ts';
import type { Verdict } from '../../period/report/verdict.ts';
import type { Terminal } from '../terminal.ts';
import { toAscii } from './ascii.ts';
import { formatCount, formatNanos } from './numbers.ts';
import { adviceFor, disagreementTable, mattersText } from './periods-advice.ts';
import { drawEventRate, drawPeriods } from './periods-plot.ts';
import * as words from './periods-words.ts';
import { streamTable } from './stream-table.ts';
import { wrap } from './wrap.ts';

export type PeriodsTextOptions = {
  /** Terminal colours; default none. */
  readonly colour?: boolean;
  /** Default: 100 columns, Unicode. */
  readonly terminal?: Terminal;
};

const WIDE: Terminal = { columns: 100, hasUnicode: true };

type Paint = ReturnType<typeof pc.createColors>;
/** Label and text of one line below the headline. */
type Line = readonly [label: string, text: string];

const INDENT = '  ';
const LABEL_WIDTH = 'not-converged'.length;
const TEXT_COLUMN = INDENT.length + LABEL_WIDTH + 2;
const MAX_LISTED = 5;

/**
 * `perf-ts periods` for a person, line by line: what happened, whether it matters for this profile,
 * what to do.
 */
export function formatPeriods(report: PeriodsReport, options: PeriodsTextOptions = {}): string[] {
  const terminal = options.terminal ?? WIDE;
  const paint = pc.createColors(options.colour ?? false);
  const lines: string[] = [];
  for (const event of report.events) {
    if (lines.length > 0) lines.push('');
    lines.push(...formatEvent(event, paint, terminal));
  }
  const limits = words.limitText(report.kernel);
  if (limits !== null) {
    const colour = limits.isLowered ? paint.yellow : paint.dim;
    lines.push('', ...wrap(limits.text, terminal.columns).map((line) => colour(line)));
  }
  return terminal.hasUnicode ? lines : lines.map(toAscii);
}

function formatEvent(event: EventReport, paint: Paint, terminal: Terminal): string[] {
  const [largest] = event.streams;
  const lines = wrap(words.headline(event), terminal.columns).map((line) => paint.bold(line));
  const add = (rows: readonly Line[]) => lines.push(...layOut(rows, paint, terminal));
  if (event.streamCount > 1) add(present('streams', words.streamsText(event)));
  if (largest) {
    const isAdaptive = event.mode === 'frequency';
    if (isAdaptive || largest.verdict === 'throttled') {
      add([[largest.verdict, words.verdictText(event, largest)]]);
    }
    if (isAdaptive) {
      const plot =
        largest.verdict !== 'too-short'
          ? drawPeriods(largest, event.targetHz, terminal)
          : event.streamCount > 1
            ? drawEventRate(event, terminal)
            : [];
      if (plot.length > 0) lines.push('', ...plot, '');
      add(streamLines(largest, terminal));
    }
    add([
      ...present('migrations', isAdaptive ? words.migrationsText(event) : null),
      ['counted', words.countedText(event)],
    ]);
  }
  add(eventLines(event, largest));
  const table = disagreementTable(event);
  if (table.length > 0) lines.push('', ...table.map((row) => `${INDENT}${row}`));
  if (event.streamCount > 1) lines.push('', ...streamTable(event));
  return lines;
}

/** Label and text, the text broken into as many lines as it takes. */
function layOut(rows: readonly Line[], paint: Paint, { columns, hasUnicode }: Terminal): string[] {
  return rows.flatMap(([label, text]) =>
    // The ASCII likeness may be longer.
    wrap(hasUnicode ? text : toAscii(text), columns - TEXT_COLUMN).map((line, i) => {
      const head = i === 0 ? colourOf(label, paint)(label.padEnd(LABEL_WIDTH)) : '';
      return i === 0 ? `${INDENT}${head}  ${line}` : `${' '.repeat(TEXT_COLUMN)}${line}`;
    }),
  );
}

function colourOf(label: string, paint: Paint): (text: string) => string {
  switch (label as Verdict | 'advice' | 'lost' | 'matters') {
    case 'converged':
    case 'fixed':
      return paint.green;
    case 'not-converged':
    case 'throttled':
    case 'lost':
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

function present(label: string, text: string | null): Line[] {
  return text === null ? [] : [[label, text]];
}

function streamLines(stream: StreamReport, { columns }: Terminal): Line[] {
  return [
    ...present('period', words.steadyText(stream)),
    ...present('overshoot', words.overshootText(stream)),
    ...present('event rate', words.eventRateText(stream)),
    ['first', words.firstPeriods(stream, columns - TEXT_COLUMN)],
    ...(stream.idle.gaps > 0 ? present('idle', words.idleText(stream)) : []),
    ...stream.reRamps.slice(0, MAX_LISTED).map((ramp): Line => ['re-ramp', words.reRampText(ramp)]),
    ...leftOut('re-ramp', stream.reRamps.length),
    ...present('storm', words.stormText(stream)),
    ...stream.phases
      .slice(0, MAX_LISTED)
      .map(
        (phase): Line => [
          'phase',
          `${formatNanos(phase.startNs)} to ${formatNanos(phase.endNs)}: ` +
            `${words.formatRate(phase.eventRateHz)} events/s, period ${formatCount(phase.period)}`,
        ],
      ),
    ...leftOut('phase', stream.phases.length),
  ];
}

function leftOut(label: string, count: number): Line[] {
  return count > MAX_LISTED ? [[label, `… and ${formatCount(count - MAX_LISTED)} more`]] : [];
}

function eventLines(event: EventReport, largest: StreamReport | undefined): Line[] {
  const isAdaptive = event.mode === 'frequency' && largest !== undefined;
  return [
    ...(event.lost.samples > 0 ? present('lost', words.lostText(event)) : []),
    ...present('lost where', words.concentrationText(event)),
    ...present('ledger', words.ledgerText(event)),
    ...(event.throttled.count > 0 ? present('throttled', words.throttledText(event)) : []),
    ...present('rule', isAdaptive ? words.ruleText(event) : null),
    ...present('ramps', words.rampsText(event)),
    ...present('model', modelOf(largest)),
    ...present('matters', isAdaptive ? mattersText(event) : null),
    ...adviceFor(event).map((advice): Line => ['advice', advice]),
  ];
}

/** Of fewer periods a share says little. */
const MIN_COMPARED = 50;

function modelOf(largest: StreamReport | undefined): string | null {
  const model = largest?.model ?? null;
  return model === null || model.compared < MIN_COMPARED ? null : words.modelText(model);
}
