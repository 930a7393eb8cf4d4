import { formatCount } from '../../base/numbers.ts';
import type { EventReport } from '../../period/report/event-report.ts';
import type { RateCourse } from '../../period/report/rate-course.ts';
import type { StreamReport } from '../../period/report/stream-report.ts';
import { drawPlot } from './plot.ts';
import type { Terminal } from './terminal.ts';
import { drawMarks, drawTimeAxis, type Mark } from './time-axis.ts';

const INDENT = '  ';
const PERIOD_ROWS = 8;
const RATE_ROWS = 4;

/** A stream's period and the rate reached over time, one above the other; empty without a course. */
export function drawPeriods(
  stream: StreamReport,
  targetHz: number | null,
  terminal: Terminal,
): string[] {
  const { course, rate, steady } = stream;
  if (course === null || !(course.endNs > course.startNs)) return [];
  const columns = terminal.columns - INDENT.length;
  const { hasUnicode } = terminal;
  const axis = { startNs: course.startNs, endNs: course.endNs, columns, hasUnicode };
  const reference = steady === null ? null : steady.period.median;
  const options = { columns, hasUnicode, rows: PERIOD_ROWS, reference };
  const lines = ['events per sample (logarithmic)'];
  lines.push(...drawPlot(course, { ...options, kind: 'logarithmic line' }));
  const marks = drawMarks('ramps', hasUnicode ? '▲' : '^', rampsOf(stream), axis);
  if (marks !== null) lines.push(marks);
  if (rate !== null) {
    lines.push(
      `samples per second${targetHz === null ? '' : `, of ${formatCount(targetHz)} asked`}`,
    );
    lines.push(...drawRate(rate, targetHz, columns, hasUnicode));
  }
  lines.push(...drawTimeAxis(axis));
  return lines.map((line) => `${INDENT}${line}`);
}

/** The rate of all of an event's streams together; empty where their samples take no time. */
export function drawEventRate({ rate }: EventReport, terminal: Terminal): string[] {
  if (rate === null) return [];
  const columns = terminal.columns - INDENT.length;
  const { hasUnicode } = terminal;
  return [
    'samples per second, of all streams',
    ...drawRate(rate, null, columns, hasUnicode),
    ...drawTimeAxis({ startNs: rate.startNs, endNs: rate.endNs, columns, hasUnicode }),
  ].map((line) => `${INDENT}${line}`);
}

function drawRate(
  { startNs, endNs, hz }: RateCourse,
  reference: number | null,
  columns: number,
  hasUnicode: boolean,
): string[] {
  const values = hz.map((value) => (value > 0 ? value : null));
  const series = { startNs, endNs, lowest: values, highest: values };
  return drawPlot(series, { columns, rows: RATE_ROWS, hasUnicode, reference, kind: 'area' });
}

function rampsOf({ course, settleNs, settleSamples, reRamps, verdict }: StreamReport): Mark[] {
  const { startNs, endNs } = course!;
  const marks: Mark[] = reRamps.map((ramp) => ({
    startNs: ramp.startNs,
    endNs: ramp.endNs ?? endNs,
  }));
  if (verdict === 'not-converged') marks.push({ startNs, endNs });
  else if (settleSamples !== null && settleSamples > 0) {
    marks.push({ startNs, endNs: startNs + (settleNs ?? 0) });
  }
  return marks;
}
