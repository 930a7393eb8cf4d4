import { MATTERS, mattersText } from '../../../src/period/report/advice.ts';
import type { EventReport } from '../../../src/period/report/event-report.ts';
import { inStepRemedy, inStepText } from '../../../src/period/report/in-step-words.ts';
import { readByLeaderText, unknownRuleText } from '../../../src/period/report/rule-doubt.ts';
import { formatTenth, throttledText } from '../../../src/period/report/words.ts';
import { reportLostSideband } from '../../../src/profile/losses.ts';
import type { OpenResult } from '../worker/messages/messages.ts';
import { formatCount, formatWeight } from './format.ts';
import { type LateReport, reportOfEvent } from './late-report.ts';

/** How far the sampling of one event can be trusted, for a badge. */
export type Trust = {
  readonly level: 'good' | 'fair' | 'poor';
  /** A few words: the worst reason, or that there is none. */
  readonly label: string;
  /** Sentences, the worst first; of good sampling what speaks for it. */
  readonly reasons: readonly string[];
};

/** Something against the sampling. */
type Doubt = Trust & { readonly level: 'fair' | 'poor' };

/** Share of the samples taken that did not arrive. Less is within what chance does to any share. */
const LOST_FAIR = 0.005;
/** As many as the smaller functions of a profile have. */
const LOST_POOR = 0.1;
/** Share of the stacks that lack callers: totals of the callers are too small by as much. */
const CUT_FAIR = 0.05;
/** Totals, trees and callers stand for less than half of the samples. */
const CUT_POOR = 0.5;
/** Fewer samples of equal weight: a share of one half is uncertain by 14 points and more. */
const FEW_SAMPLES = 50;

/**
 * Judges the sampling of the event in row `event` of a recording. Poor: what is shown can be wrong by
 * more than it says. Fair: it can be wrong by what a reason says. What was recorded instead of a missing
 * hardware counter is sampled as soundly, so that is none. Before the late report is there only losses,
 * stacks and the file are judged.
 */
export function assessTrust(recording: OpenResult, late: LateReport, event: number): Trust {
  const report = reportOfEvent(late, event);
  const doubts = [
    ofFile(recording),
    ofSideband(recording),
    ofNumber(recording, late, event),
    ofLosses(recording, report, event),
    ofStacks(recording),
    ofWeights(recording, report),
    ofPauses(report),
    ofStep(report),
    ofRule(report),
    ofLeader(recording, event),
    ofText(recording),
  ].filter((doubt) => doubt !== null);
  const poor = doubts.filter(({ level }) => level === 'poor');
  const sorted = [...poor, ...doubts.filter(({ level }) => level === 'fair')];
  const [worst] = sorted;
  if (worst !== undefined) return { ...worst, reasons: sorted.flatMap(({ reasons }) => reasons) };
  return { level: 'good', label: 'sampling sound', reasons: praise(recording, report, event) };
}

function ofFile({ head }: OpenResult): Doubt | null {
  if (head.truncatedAt === null) return null;
  const at = formatCount(head.truncatedAt);
  return poor('recording cut short', `The recording ends early, at byte ${at}: it was cut.`);
}

function ofSideband({ meta }: OpenResult): Doubt | null {
  const { lostSideband = 0 } = meta;
  return lostSideband === 0
    ? null
    : poor('names uncertain', `${reportLostSideband(lostSideband)}.`);
}

/** Few samples are no doubt where each occurrence is one; an item of a text may sum any number of them. */
function ofNumber(
  { events, areLossesKnown }: OpenResult,
  late: LateReport,
  event: number,
): Doubt | null {
  const { samples } = events[event];
  if (samples === 0) return poor('no samples', 'No sample of this event was taken.');
  const provenance = late.get()?.provenance.events[event];
  const areAll = provenance?.weightsFrom === 'waits' || provenance?.fixedPeriod === 1;
  if (provenance === undefined || areAll || !areLossesKnown) return null;
  const effective = reportOfEvent(late, event)?.effectiveSamples ?? samples;
  if (effective >= FEW_SAMPLES) return null;
  const worth =
    Math.round(effective) < samples
      ? ` tell as much as ${formatCount(effective)} of equal weight`
      : ' are few';
  return poor('few samples', `${formatWeight(samples, 'samples')}${worth}: record longer.`);
}

function ofLosses({ events }: OpenResult, report: EventReport | undefined, event: number) {
  const share = lostShare(events[event], report);
  if (share < LOST_FAIR) return null;
  const lost = formatCount(report?.lost.samples ?? events[event].lostSamples);
  const sentence =
    `${lost} samples, ${formatTenth(share)} of all, were lost: ` +
    'larger rings (-m) or a lower rate (-F) lose less.';
  const label = `${formatTenth(share)} lost`;
  return share < LOST_POOR ? fair(label, sentence) : poor(label, sentence);
}

function ofStacks({ head: { completeness } }: OpenResult): Doubt | null {
  if (completeness === null || completeness.samples === 0) return null;
  const { samples, complete, unknown, cut } = completeness;
  const share = (samples - complete - unknown) / samples;
  if (share < CUT_FAIR) return null;
  const why = cut.length === 0 ? '' : `, most of them because: ${cut[0].reason}`;
  const sentence = `${formatTenth(share)} of the stacks lack callers${why}.`;
  const label = `${formatTenth(share)} of stacks cut`;
  return share < CUT_POOR ? fair(label, sentence) : poor(label, sentence);
}

/** The weight by samples of a text may be one by lines. */
function ofWeights({ areLossesKnown }: OpenResult, report: EventReport | undefined): Doubt | null {
  if (!areLossesKnown || report === undefined || disagreement(report) < MATTERS) return null;
  return fair('weights disagree', `Does the weight matter? ${mattersText(report)}.`);
}

function ofPauses(report: EventReport | undefined): Doubt | null {
  if (report?.verdicts.throttled === undefined) return null;
  return fair('paused by the kernel', `The kernel paused the event ${throttledText(report)}.`);
}

function ofStep(report: EventReport | undefined): Doubt | null {
  const inStep = report?.inStep ?? null;
  if (report === undefined || inStep === null) return null;
  const { fixedPeriod, targetHz } = report;
  const text = inStepText(inStep);
  const remedy = inStepRemedy(inStep, { fixedPeriod, frequencyHz: targetHz });
  return fair('in step', `${text[0].toUpperCase()}${text.slice(1)}: ${remedy}.`);
}

function ofRule(report: EventReport | undefined): Doubt | null {
  if (report === undefined || report.reportedPeriod.rule !== 'unknown') return null;
  const text = unknownRuleText(report.reportedPeriod);
  return fair('periods uncertain', `It is ${text}. Intervals allow for it.`);
}

/** An event that another one's samples read. */
function ofLeader({ events }: OpenResult, event: number): Doubt | null {
  const { readBy } = events[event];
  if (readBy === null) return null;
  const text = readByLeaderText(readBy);
  return fair('without own samples', `${text[0].toUpperCase()}${text.slice(1)}.`);
}

function ofText({ areLossesKnown }: OpenResult): Doubt | null {
  if (areLossesKnown) return null;
  return fair('sampling unknown', 'Text of another tool does not say how it was sampled.');
}

function praise({ events }: OpenResult, report: EventReport | undefined, event: number): string[] {
  const { samples, lostSamples } = events[event];
  const lost = report?.lost.samples ?? lostSamples;
  const share = formatTenth(lostShare(events[event], report));
  const all = formatWeight(samples, 'samples');
  return [
    lost === 0 ? `${all}, none lost.` : `${all}; ${formatCount(lost)} more (${share}) were lost.`,
    ...(report === undefined || report.weights === null ? [] : ['The weights agree.']),
  ];
}

function lostShare(
  { samples, lostSamples }: OpenResult['events'][number],
  report: EventReport | undefined,
): number {
  if (report !== undefined && report.lost.coverage !== null) return 1 - report.lost.coverage;
  return lostSamples === 0 ? 0 : lostSamples / (samples + lostSamples);
}

/** Share of the profile that stands elsewhere by samples or by period than by events. */
function disagreement({ weights }: EventReport): number {
  return Math.max(weights?.distance.samples ?? 0, weights?.distance.period ?? 0);
}

function fair(label: string, reason: string): Doubt {
  return { level: 'fair', label, reasons: [reason] };
}

function poor(label: string, reason: string): Doubt {
  return { level: 'poor', label, reasons: [reason] };
}
