import { formatCount, formatNanos } from '../../base/numbers.ts';
import type { EventReport } from '../../period/report/event-report.ts';
import type { StreamReport } from '../../period/report/stream-report.ts';

const HEADER = ['stream', 'tid', 'CPU', 'samples', 'verdict', 'settled after', 'Hz', 'period'];
/** Columns of words; the others are numbers and aligned to the right. */
const LEFT_ALIGNED = new Set([4, 5]);
/** More ids than this are only counted. */
const MAX_IDS = 2;

/** The streams of an event as an aligned table, with a last row for those that were left out. */
export function streamTable(event: EventReport): string[] {
  const rows = [HEADER, ...event.streams.map(streamRow)];
  const rest = event.restOfStreams;
  if (rest) {
    rows.push([
      `${formatCount(rest.streams)} more`,
      '',
      '',
      formatCount(rest.samples),
      '',
      '',
      '',
      '',
    ]);
  }
  const widths = HEADER.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column].length), 0),
  );
  return rows.map((row) =>
    `  ${row.map((cell, i) => (LEFT_ALIGNED.has(i) ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ')}`.trimEnd(),
  );
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
