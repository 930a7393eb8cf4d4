import pc from 'picocolors';
import { printable } from '../../base/printable.ts';
import type { EventReport, PeriodsReport } from '../../period/report.ts';
import type { StreamReport, Verdict } from '../../period/stream-report.ts';
import type { KernelLimits } from '../../period/types.ts';
import { formatCount, formatNanos, formatShare } from './numbers.ts';
import { drawSparkline } from './sparkline.ts';
import { streamTable } from './stream-table.ts';

export type PeriodsTextOptions = {
  /** Terminal colours; default none. */
  readonly colour?: boolean;
};

type Paint = ReturnType<typeof pc.createColors>;
/** Label and text of one line below the headline. */
type Line = readonly [label: string, text: string];

const LABEL_WIDTH = 'not-converged'.length;

/**
 * `perf-ts periods` for a person, line by line: what happened, whether it matters for this profile,
 * what to do.
 */
export function formatPeriods(report: PeriodsReport, options: PeriodsTextOptions = {}): string[] {
  const paint = pc.createColors(options.colour ?? false);
  const lines: string[] = [];
  for (const event of report.events) {
    if (lines.length > 0) lines.push('');
    lines.push(paint.bold(headline(event)));
    for (const [label, text] of linesOf(event)) {
      lines.push(`  ${colourOf(label, paint)(label.padEnd(LABEL_WIDTH))}  ${text}`);
    }
    if (event.streamCount > 1) lines.push('', ...streamTable(event));
  }
  const limits = limitLine(report.kernel);
  if (limits !== null) lines.push('', paint.yellow(limits));
  return lines;
}

function colourOf(label: string, paint: Paint): (text: string) => string {
  switch (label as Verdict | 'advice' | 'lost') {
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
      return paint.cyan;
    default:
      return paint.dim;
  }
}

function linesOf(event: EventReport): Line[] {
  const lines: Line[] = [];
  const [largest] = event.streams;
  if (event.streamCount > 1) {
    const streams = formatCount(event.streamCount);
    const isAdaptive = event.mode === 'frequency';
    const text = isAdaptive ? `${streams}, each with a period of its own; the largest:` : streams;
    lines.push(['streams', text]);
  }
  if (largest) {
    lines.push(...streamLines(event, largest));
    lines.push(['counted', countedText(event)]);
  }
  if (event.lost.samples > 0) lines.push(['lost', lostText(event)]);
  if (event.throttled.count > 0) lines.push(['throttled', throttledText(event)]);
  if (event.mode === 'frequency' && largest) lines.push(['rule', ruleText(event)]);
  for (const advice of adviceFor(event)) lines.push(['advice', advice]);
  return lines;
}

/** Share of a timer's rate that counts as reached. */
const TIMELY = 0.98;

/** The one line to read. */
function headline(event: EventReport): string {
  const name = printable(event.event);
  if (event.samples === 0) return `${name}: no samples`;
  const hz = reachedHz(event);
  const reached = hz === null ? '' : `${formatCount(hz)} Hz`;
  if (event.mode === 'clock') {
    const period = event.streams[0]!.firstPeriods[0]!;
    const rate = 1e9 / period;
    // A timer that comes late is not made up for.
    const late = hz !== null && hz < rate * TIMELY ? `; ${reached} reached` : '';
    const fixed = `${formatCount(period)} ns (${formatCount(rate)} Hz)`;
    return `${name}: fixed by the kernel at ${fixed}: nothing to converge${late}`;
  }
  if (event.mode === 'period') {
    const achieved = reached === '' ? '' : `; ${reached}`;
    const period = formatCount(event.fixedPeriod ?? 0);
    return `${name}: a sample every ${period} events, as asked: nothing to converge${achieved}`;
  }
  const asked = event.targetHz === null ? '' : `${formatCount(event.targetHz)} Hz asked, `;
  return `${name}: ${asked}${reached === '' ? `${formatCount(event.samples)} samples` : `${reached} reached`}`;
}

/** Samples per second at rest: mean over the streams, by their samples; null if none rested. */
function reachedHz(event: EventReport): number | null {
  let sum = 0;
  let samples = 0;
  for (const stream of event.streams) {
    if (stream.steady === null) continue;
    sum += stream.steady.hz * stream.samples;
    samples += stream.samples;
  }
  return samples > 0 ? sum / samples : null;
}

function streamLines(event: EventReport, stream: StreamReport): Line[] {
  const lines: Line[] = [];
  if (event.mode === 'frequency' || stream.verdict === 'throttled') {
    lines.push([stream.verdict, verdictText(event, stream)]);
  }
  if (event.mode !== 'frequency') return lines;
  const { steady, course } = stream;
  if (steady) {
    const { median, p05, p95 } = steady.period;
    lines.push([
      'period',
      `${formatCount(median)} at rest (90% of samples: ${formatCount(p05)} to ${formatCount(p95)})`,
    ]);
  }
  if (course && stream.verdict !== 'too-short') {
    const { text, isLogarithmic } = drawSparkline(course.periods);
    const span = formatNanos(course.endNs - course.startNs);
    lines.push(['', `${text}  over ${span}${isLogarithmic ? ', logarithmic' : ''}`]);
  }
  lines.push(['first', firstPeriods(stream)]);
  if (stream.idle.gaps > 0) {
    const gaps = stream.idle.gaps === 1 ? 'one gap' : `${formatCount(stream.idle.gaps)} gaps`;
    const duration = formatNanos(stream.idle.ns);
    lines.push(['idle', `${gaps} without events, ${duration} in all, left out of the rates`]);
  }
  for (const ramp of stream.reRamps.slice(0, MAX_LISTED)) {
    const { periodBefore, lowestPeriod, highestPeriod, gapNs, samples, startNs } = ramp;
    const cause = gapNs >= MIN_TICKS_NS ? `, after ${formatNanos(gapNs)} with few events` : '';
    lines.push([
      're-ramp',
      `at ${formatNanos(startNs)}${cause}: ${formatCount(periodBefore)} fell to ${formatCount(lowestPeriod)}, rose to ` +
        `${formatCount(highestPeriod)}, ${formatCount(samples)} samples`,
    ]);
  }
  lines.push(...leftOut('re-ramp', stream.reRamps.length));
  for (const phase of stream.phases.slice(0, MAX_LISTED)) {
    lines.push([
      'phase',
      `${formatNanos(phase.startNs)} to ${formatNanos(phase.endNs)}: ` +
        `${formatRate(phase.eventRateHz)} events/s, period ${formatCount(phase.period)}`,
    ]);
  }
  lines.push(...leftOut('phase', stream.phases.length));
  return lines;
}

const MAX_LISTED = 5;
/** Five ticks at HZ = 1000: ticks alone need as many to halve a period. */
const MIN_TICKS_NS = 5e6;
const FIRST_SHOWN = 20;

function leftOut(label: string, count: number): Line[] {
  return count > MAX_LISTED ? [[label, `… and ${formatCount(count - MAX_LISTED)} more`]] : [];
}

function firstPeriods(stream: StreamReport): string {
  const shown = stream.firstPeriods.slice(0, FIRST_SHOWN).join(' ');
  return stream.samples > FIRST_SHOWN ? `${shown} …` : shown;
}

function verdictText(event: EventReport, stream: StreamReport): string {
  const settled =
    stream.settleSamples === null
      ? ''
      : stream.settleSamples === 0
        ? 'at rest from the first sample on'
        : `settled after ${formatCount(stream.settleSamples)} samples (${formatNanos(stream.settleNs ?? 0)})`;
  switch (stream.verdict) {
    case 'converged': {
      if (stream.steady?.period.p95 === 1)
        return 'rarer than the rate asked: every event is a sample';
      if (stream.phases.length === 0) return settled;
      const changes = stream.phases.length - 1;
      return `${settled}; the event rate changed ${times(changes)}, the period followed`;
    }
    case 're-ramped':
      return `${settled}, then ramped up again ${times(stream.reRamps.length)}`;
    case 'not-converged':
      return `the period never came to rest in ${formatCount(stream.samples)} samples`;
    case 'too-short':
      return `${formatCount(stream.samples)} samples are too few to tell`;
    case 'throttled':
      return `the kernel paused the event for ${formatNanos(stream.throttledNs)}`;
    case 'fixed':
      return event.mode === 'clock' ? 'a timer of the kernel' : 'as asked';
  }
}

function times(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${formatCount(count)} times`;
}

function countedText({ samples, eventsCounted, unit, lost }: EventReport): string {
  const counted = eventsCounted === null ? '' : `${formatCount(eventsCounted)} ${unit} in `;
  const none = lost.samples === 0 ? ', none lost' : '';
  return `${counted}${formatCount(samples)} samples${none}`;
}

function lostText({ lost }: EventReport): string {
  const share = lost.coverage === null ? '' : ` (${formatShare(1 - lost.coverage)} of all)`;
  return `${formatCount(lost.samples)} samples${share} did not arrive`;
}

function throttledText({ throttled: { count, ns } }: EventReport): string {
  return `${times(count)}, ${formatNanos(ns)} in all: these stretches are missing`;
}

function ruleText(event: EventReport): string {
  const { rule, from, confidence } = event.reportedPeriod;
  const sure = confidence === 1 ? '' : `, confidence ${confidence.toFixed(2)}`;
  const whence = {
    counts: `seen in the counts${sure}`,
    table: 'known of this kind of event',
    fit: `fitted to the jumps of the period${sure}`,
  }[from];
  switch (rule) {
    case 'next':
      return `a sample reports the interval after it: weights are shifted (${whence})`;
    case 'elapsed':
      return `a sample reports the interval before it (${whence})`;
    case 'unknown':
      return 'unknown which interval a sample reports: used as reported; --counts would tell';
  }
}

/** A difference in share of this many points is worth a line. */
const RAMP_DIFFERENCE = 0.02;
const FEW_EFFECTIVE = 400;

/** Does it matter, and what to do. */
function adviceFor(event: EventReport): string[] {
  const advice: string[] = [];
  if (event.samples === 0 || event.mode !== 'frequency') return advice;
  const [largest] = event.streams;
  if (largest?.verdict === 'too-short') return ['record longer'];
  const ramps = largest?.rampShare ?? null;
  if (ramps !== null && Math.abs(ramps.samples - ramps.events) >= RAMP_DIFFERENCE) {
    const samples = formatShare(ramps.samples);
    const events = formatShare(ramps.events);
    advice.push(`ramps hold ${samples} of the samples, ${events} of the events: weigh by events`);
  }
  const effective = largest?.effectiveSamples ?? null;
  if (effective !== null && largest && effective < FEW_EFFECTIVE) {
    // Half the width of a 95 % interval around a share of one half: 1.96 · √(¼ / n).
    const points = 1.96 * Math.sqrt(0.25 / effective);
    advice.push(
      `${formatCount(largest.samples)} samples tell as much as ${formatCount(effective)} of equal ` +
        `weight (50% is good to ±${(points * 100).toFixed(0)} points): record longer`,
    );
  }
  if (largest?.verdict === 'throttled') advice.push('ask for a lower rate');
  if (event.suggestedPeriod !== null && event.suggestedPeriod > 1) {
    advice.push(`-c ${event.suggestedPeriod} would sample at about the rate asked, without ramps`);
  }
  return advice;
}

/** Three digits are more than a rate is worth. */
function formatRate(hz: number): string {
  return formatCount(Number(hz.toPrecision(3)));
}

function limitLine({ maxSampleRate, maxSampleRateAfter }: KernelLimits): string | null {
  if (maxSampleRate === null || maxSampleRateAfter === null) return null;
  if (maxSampleRateAfter >= maxSampleRate) return null;
  const before = formatCount(maxSampleRate);
  const after = formatCount(maxSampleRateAfter);
  return `The kernel lowered kernel.perf_event_max_sample_rate from ${before} to ${after} Hz meanwhile.`;
}
