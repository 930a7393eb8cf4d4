// What the figures of a period report mean, in words. One function per line of the report.

import { lostSamplesText } from '../../base/lost-samples.ts';
import {
  formatAmount,
  formatCount,
  formatNanos,
  formatShare,
  formatTenth,
} from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import type { ModelReport } from '../model/model.ts';
import type { KernelLimits } from '../types.ts';
import type { EventReport } from './event-report.ts';
import type { ReRamp } from './re-ramp.ts';
import { unknownRuleText } from './rule-doubt.ts';
import type { StreamReport } from './stream-report.ts';

/** Share of a timer's rate that counts as reached. */
const TIMELY = 0.98;

/** The one line to read. */
export function headline(event: EventReport): string {
  const name = printable(event.event);
  if (event.samples === 0) return `${name}: no samples`;
  const hz = reachedHz(event);
  const reached = hz === null ? '' : `${formatCount(hz)} Hz`;
  if (event.mode === 'clock') {
    const period = event.streams.at(0)?.firstPeriods[0] ?? 0;
    if (!(period > 0)) return `${name}: fixed by the kernel: nothing to converge`;
    const rate = 1e9 / period;
    // A timer that comes late is not made up for.
    const late = hz !== null && hz < rate * TIMELY ? `; ${reached} reached` : '';
    const fixed = `${formatCount(period)} ns (${formatCount(rate)} Hz)`;
    return `${name}: fixed by the kernel at ${fixed}: nothing to converge${late}`;
  }
  if (event.mode === 'period') {
    const achieved = reached === '' ? '' : `; ${reached}`;
    if (event.fixedPeriod === null) {
      return `${name}: each sample reports a period of its own: nothing to converge${achieved}`;
    }
    const period = formatCount(event.fixedPeriod);
    return `${name}: a sample every ${period} events, as asked: nothing to converge${achieved}`;
  }
  const asked = event.targetHz === null ? '' : `${formatCount(event.targetHz)} Hz asked, `;
  return `${name}: ${asked}${reached === '' ? `${formatCount(event.samples)} samples` : `${reached} reached`}`;
}

/** Settled streams with less than this share of the samples don't speak for the event. */
const MIN_RESTED = 0.5;

/** Samples per second while settled: mean over the streams, weighted by their samples; null if few settled. */
function reachedHz(event: EventReport): number | null {
  let sum = 0;
  let samples = 0;
  for (const stream of event.streams) {
    if (stream.steady === null) continue;
    sum += stream.steady.hz * stream.samples;
    samples += stream.samples;
  }
  const all = event.streams.reduce((total, stream) => total + stream.samples, 0);
  return samples > MIN_RESTED * all ? sum / samples : null;
}

/** How many streams an event has and, where their periods adapt, how these went. */
export function streamsText({ streamCount, mode, verdicts }: EventReport): string {
  const count = formatCount(streamCount);
  if (mode !== 'frequency') return count;
  const kinds = Object.entries(verdicts)
    .sort(([, a], [, b]) => b.streams - a.streams)
    .map(([verdict, { streams }]) => `${formatCount(streams)} ${verdict}`);
  return `${count}, each with a period of its own: ${kinds.join(', ')}`;
}

export function migrationsText({ migrations }: EventReport): string | null {
  const { count, streams, rampSamples } = migrations;
  if (count === 0) return null;
  const met = `threads went to another stream ${times(count)}`;
  if (streams === 0) return `${met}, none of them new`;
  const began = streams === 1 ? 'one stream began so' : `${formatCount(streams)} streams began so`;
  return `${met}; ${began} and took ${formatCount(rampSamples)} samples to settle`;
}

export function verdictText(event: EventReport, stream: StreamReport): string {
  const settled =
    stream.settleSamples === null
      ? ''
      : stream.settleSamples === 0
        ? 'settled from the first sample on'
        : `settled after ${formatCount(stream.settleSamples)} samples (${formatNanos(stream.settleNs ?? 0)})`;
  switch (stream.verdict) {
    case 'converged': {
      if (stream.steady?.period.p95 === 1) return everyEventText(event, stream.steady);
      if (stream.phases.length === 0) return movingText(event, stream.steady) ?? settled;
      const changes = stream.phases.length - 1;
      return `${settled} and followed ${changes === 1 ? 'a change' : `${formatCount(changes)} changes`} of the event rate`;
    }
    case 're-ramped':
      return `${settled}, then ramped up again ${times(stream.reRamps.length)}`;
    case 'not-converged':
      return `the period did not settle in ${formatCount(stream.samples)} samples`;
    case 'too-short':
      return `${formatCount(stream.samples)} samples are too few to tell`;
    case 'throttled':
      return `the kernel paused the event for ${formatNanos(stream.throttledNs)}`;
    case 'fixed':
      return event.mode === 'clock' ? 'a timer of the kernel' : 'as asked';
  }
}

/** Periods of nine in ten samples are further apart than by this factor: the period moved all the time. */
const MOVING = 4;
/** Samples that come within this factor of the rate asked show that the period followed. */
const FOLLOWED = 1.25;

/**
 * "Settled" means only that a period had no jump, where it moved all the time. What matters is whether it
 * followed the event rate, which the rate of the samples shows; null for one that came to rest.
 */
function movingText({ targetHz }: EventReport, steady: StreamReport['steady']): string | null {
  if (steady === null || targetHz === null) return null;
  const { p05, p95 } = steady.period;
  if (p95 < MOVING * p05) return null;
  const off = steady.hz / targetHz;
  const hz = `${formatCount(steady.hz)} Hz of ${formatCount(targetHz)} Hz asked`;
  const range = `never at rest, ${formatCount(p05)} to ${formatCount(p95)}`;
  return off < FOLLOWED && off > 1 / FOLLOWED
    ? `${range}: it followed the event rate (${hz})`
    : `${range}: it lagged behind the event rate (${hz})`;
}

/** Rates are estimates: so far above the one asked, events are said to come more often. */
const MORE_OFTEN = 1.1;

/** The stream's period stays at 1. Kernels up to 6.10 keep it there for somewhat more events, too. */
function everyEventText(
  { targetHz }: EventReport,
  { period, eventRateHz }: NonNullable<StreamReport['steady']>,
): string {
  const each = period.mean > 1 ? 'nearly every event is a sample' : 'every event is a sample';
  const isRarer = targetHz === null || eventRateHz <= MORE_OFTEN * targetHz;
  return isRarer
    ? `rarer than the rate asked: ${each}`
    : `more often than the rate asked, but the period stays at 1: ${each}`;
}

/** Once above rest by this factor, a ramp is said to overshoot. */
const OVERSHOT = 1.5;

export function steadyText({ steady }: StreamReport): string | null {
  if (steady === null) return null;
  const { median, mean, p05, p95, cv } = steady.period;
  const spread = `90% of samples: ${formatCount(p05)} to ${formatCount(p95)}`;
  return `${formatCount(median)} settled (${spread}; mean ${formatCount(mean)}, CV ${cv.toFixed(2)})`;
}

export function overshootText({ overshoot }: StreamReport): string | null {
  if (overshoot === null || overshoot < OVERSHOT) return null;
  return `before it settled the period rose to ${overshoot.toFixed(1)} times its settled value`;
}

export function eventRateText({ steady }: StreamReport): string | null {
  return steady === null ? null : `${formatRate(steady.eventRateHz)} events/s while settled`;
}

export function firstPeriods(stream: StreamReport, width: number): string {
  const all = stream.firstPeriods;
  let text = '';
  for (const [i, period] of all.entries()) {
    const longer = i === 0 ? `${period}` : `${text} ${period}`;
    const isLast = i === all.length - 1 && stream.samples === all.length;
    if (longer.length + (isLast ? 0 : 2) > width || i === MAX_FIRST) return `${text} …`;
    text = longer;
  }
  return stream.samples > all.length ? `${text} …` : text;
}

/** More would tell nothing new. */
const MAX_FIRST = 20;

export function idleText({ idle }: StreamReport): string {
  const gaps = idle.gaps === 1 ? 'one gap' : `${formatCount(idle.gaps)} gaps`;
  return `${gaps} without events, ${formatNanos(idle.ns)} in all, left out of the rates`;
}

export function reRampText(ramp: ReRamp): string {
  const { periodBefore, lowestPeriod, highestPeriod, samples, startNs } = ramp;
  return (
    `at ${formatNanos(startNs)}${causeText(ramp)}: ${formatCount(periodBefore)} → ` +
    `${formatCount(lowestPeriod)} → ${formatCount(highestPeriod)}, ${formatCount(samples)} samples`
  );
}

function causeText({ cause, gapNs, fromCpu, toCpu }: ReRamp): string {
  switch (cause) {
    case 'migration':
      return fromCpu === null || toCpu === null || fromCpu < 0 || toCpu < 0 || fromCpu === toCpu
        ? ', after a migration'
        : `, after a migration from CPU ${fromCpu} to ${toCpu}`;
    case 'task':
      return ', given to another thread';
    case 'throttle':
      return ', after a pause by the kernel';
    case 'gap':
      return `, after ${formatNanos(gapNs)} with few events`;
    case 'unknown':
      return '';
  }
}

/** Share of a stream's samples from which bursts are worth a line. */
const MIN_BURST_SHARE = 0.01;

/** Null where bursts hold next to nothing of the stream. */
export function burstText({ bursts, samples: all }: StreamReport): string | null {
  if (bursts === null || bursts.samples < MIN_BURST_SHARE * all) return null;
  const { count, samples, peakHz, largest } = bursts;
  if (count === 0) return null;
  const what = count === 1 ? 'one burst' : `${formatCount(count)} bursts`;
  const where = largest.length === 1 ? ` at ${formatNanos(largest[0].startNs)}` : '';
  return (
    `${what} of samples after gaps${where}: ${formatCount(samples)} samples, ` +
    `at up to ${formatRate(peakHz ?? 0)} Hz`
  );
}

/** `areLossesKnown`: what the recording says of losses is all. */
export function countedText(
  { samples, eventsCounted, unit, lost }: EventReport,
  areLossesKnown: boolean,
): string {
  const counted = eventsCounted === null ? '' : `${formatAmount(eventsCounted, unit)} in `;
  const none = lost.samples === 0 && areLossesKnown ? ', none lost' : '';
  return `${counted}${formatCount(samples)} samples${none}`;
}

export function lostText({ samples, lost, ledger }: EventReport): string {
  const covered = ledger.eventCoverage;
  const events =
    covered === null ? '' : `; those that arrived stand for ${formatShare(covered)} of the events`;
  return `${lostSamplesText(lost.samples, lost.samples + samples)}${events}`;
}

/** The parts of the counter's final value; null where it was not read. */
export function ledgerText({ ledger, unit, mode, lost }: EventReport): string | null {
  const { eventsCounted, arrivedEvents, gapEvents, unaccounted } = ledger;
  // A clock's counter is another clock than its timer: they don't add up.
  if (eventsCounted === null || mode === 'clock') return null;
  const parts: readonly (readonly [number | null, string])[] = [
    [gapEvents, 'lost between samples'],
    [ledger.tailEvents, 'after the last samples'],
    [ledger.unsampledEvents, 'in streams without a sample'],
    [
      ledger.undividedEvents,
      lost.samples > 0
        ? 'lost or after the last samples'
        : 'after the last samples, or in streams without one',
    ],
  ];
  const named = parts
    .filter(([events]) => events !== null && events > 0)
    .map(([events, what]) => ` + ${formatCount(events ?? 0)} ${what}`)
    .join('');
  const open = unaccounted ? `; ${formatSigned(unaccounted)} unaccounted for` : '';
  return `${formatCount(eventsCounted)} ${unit} = ${formatCount(arrivedEvents)} in samples${named}${open}`;
}

function formatSigned(value: number): string {
  return value < 0 ? `−${formatCount(-value)}` : formatCount(value);
}

/** Losses in one place are a stretch to distrust; losses everywhere thin the profile out. */
export function concentrationText({ ledger: { concentration } }: EventReport): string | null {
  if (concentration === null) return null;
  const { worstShare, worstStartNs, worstEndNs, byCpu, byThread } = concentration;
  const where = [
    `${formatShare(worstShare)} of them from ${formatNanos(worstStartNs)} to ${formatNanos(worstEndNs)}`,
  ];
  const cpu = byCpu[0];
  const samples = byCpu.reduce((sum, { lostSamples }) => sum + lostSamples, 0);
  if (cpu !== undefined && cpu.cpu >= 0 && samples > 0) {
    where.push(`${formatShare(cpu.lostSamples / samples)} on CPU ${cpu.cpu}`);
  }
  const thread = byThread[0];
  const events = byThread.reduce((sum, { gapEvents }) => sum + gapEvents, 0);
  if (thread !== undefined && thread.tid !== null && events > 0) {
    where.push(`${formatShare(thread.gapEvents / events)} in thread ${thread.tid}`);
  }
  return where.join(', ');
}

export function throttledText({ throttled: { count, ns, intervals } }: EventReport): string {
  const first = intervals[0];
  const where = first === undefined ? '' : `, first at ${formatNanos(first.startNs)}`;
  return `${times(count)}, ${formatNanos(ns)} in all${where}: these stretches are missing`;
}

export function ruleText({ reportedPeriod }: EventReport): string {
  const { rule, from, confidence, driver, contradiction, countsLag } = reportedPeriod;
  if (rule === 'unknown') return unknownRuleText(reportedPeriod);
  const sure = confidence === 1 ? '' : `, confidence ${confidence.toFixed(2)}`;
  const against =
    contradiction === undefined
      ? ''
      : `, against the kernel's sources for ${driver ?? 'its driver'}`;
  const late = countsLag === true ? '; counts are one sample late, which is set right' : '';
  const whence = {
    counts: `seen in the counts${sure}${against}${late}`,
    probe: `measured before the recording${sure}${against}`,
    table: driver === undefined ? 'known of this kind of event' : `known of the driver: ${driver}`,
    fit: `fitted to the jumps of the period${sure}`,
  }[from];
  return `a sample reports the interval ${rule === 'next' ? 'after' : 'before'} it (${whence})`;
}

/** The share that ramps hold; null where nothing is in one, or it can't be told. */
export function rampsText({ rampShare }: EventReport): string | null {
  if (rampShare === null || rampShare.samples === 0) return null;
  return `${formatShare(rampShare.samples)} of the samples, ${formatShare(rampShare.events)} of the events`;
}

/** Share below which the model does not explain a stream. */
const EXPLAINED = 0.9;

export function modelText(model: ModelReport): string {
  const exact = formatTenth(model.exact / model.compared);
  const near = formatTenth(model.within1Percent / model.compared);
  const verb = model.within1Percent >= EXPLAINED * model.compared ? 'explains' : 'explains only';
  const ticks = model.hz === null ? '' : ` (HZ ${model.hz})`;
  const driven = model.tickDriven ? ', tick-driven' : '';
  const { restarts, pauses } = model.explainedBy;
  const guessed =
    model.switches === 'guessed' && restarts + pauses > 0 ? ', switches between tasks guessed' : '';
  return `the kernel's algorithm ${verb} ${exact} exactly, ${near} within 1%${ticks}${driven}${guessed}`;
}

/** Three digits are more than a rate is worth. */
export function formatRate(hz: number): string {
  return formatCount(Number(hz.toPrecision(3)));
}

export function times(count: number): string {
  if (count === 1) return 'once';
  return count === 2 ? 'twice' : `${formatCount(count)} times`;
}

/** The kernel's limits, and whether it lowered one meanwhile; null where they were not stored. */
export function limitText(limits: KernelLimits): { text: string; isLowered: boolean } | null {
  const { maxSampleRate, maxSampleRateAfter, cpuTimeMaxPercent } = limits;
  if (maxSampleRate === null) return null;
  const before = formatCount(maxSampleRate);
  const cpuTime =
    cpuTimeMaxPercent === null ? '' : `, perf_cpu_time_max_percent ${cpuTimeMaxPercent}`;
  if (maxSampleRateAfter !== null && maxSampleRateAfter < maxSampleRate) {
    const after = formatCount(maxSampleRateAfter);
    const text = `The kernel lowered kernel.perf_event_max_sample_rate from ${before} to ${after} Hz meanwhile.`;
    return { text, isLowered: true };
  }
  const stayed = maxSampleRateAfter === null ? '' : ' before and after';
  return {
    text: `kernel.perf_event_max_sample_rate ${before} Hz${stayed}${cpuTime}`,
    isLowered: false,
  };
}
