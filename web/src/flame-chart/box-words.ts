import { sampledWithin } from '../../../src/profile/sampled-time.ts';
import type { ProfileMeta } from '../../../src/profile/types.ts';
import { formatCount, formatNanos, formatShare, formatWeight } from '../ask/format.ts';
import type { TooltipLine } from '../dom/tooltip-line.ts';
import { formatMoment } from '../tracks/lane-words.ts';
import type { ChartResult } from '../worker/messages/chart-messages.ts';

/** The name of a box; of several that are drawn as one, that of most of their time. */
export function nameOfBox({ boxes, labels }: ChartResult, box: number): string {
  const name = labels.name[boxes.label[box]];
  const merged = boxes.merged[box];
  return merged === 0 ? name : `mostly ${name}`;
}

/** Everything that is known of a box, as terms and figures. */
export function describeBox(result: ChartResult, box: number): TooltipLine[] {
  const { boxes, labels, unit, window } = result;
  const label = boxes.label[box];
  const lines: TooltipLine[] = [{ term: 'lasts', text: describeDuration(result, box) }];
  const merged = boxes.merged[box];
  if (merged > 0) {
    const text = `${formatCount(merged)} boxes narrower than a pixel; zoom in to tell them apart`;
    lines.push({ term: 'of', text });
  }
  lines.push({
    term: 'time',
    text: `${formatMoment(boxes.fromNs[box])} to ${formatMoment(boxes.toNs[box])}`,
  });
  const share = seenNs(result, box) / (window.toNs - window.fromNs);
  lines.push({ term: 'share', text: `${formatShare(share)} of the time shown` });
  lines.push({ term: 'samples', text: formatCount(boxes.samples[box]) });
  // Others are the time that it lasts, and its samples.
  if (unit === 'events' || unit === 'bytes')
    lines.push({ term: 'weight', text: formatWeight(boxes.weight[box], unit) });
  const dso = labels.dso[label];
  if (dso !== '') lines.push({ term: 'in', text: dso });
  const place = labels.place[label];
  if (place !== '') lines.push({ term: 'at', text: place });
  return lines;
}

/** The box that the keyboard's cursor is on, in a sentence for those who hear the page. */
export function speakBox(result: ChartResult, box: number): string {
  const { boxes, window } = result;
  const share = seenNs(result, box) / (window.toNs - window.fromNs);
  const merged = boxes.merged[box];
  const parts = [
    `${nameOfBox(result, box)}: ${describeDuration(result, box)}`,
    `from ${formatMoment(boxes.fromNs[box])}`,
    `${formatShare(share)} of the time shown`,
    formatWeight(boxes.samples[box], 'samples'),
  ];
  if (merged > 0) parts.push(`${formatCount(merged)} boxes narrower than a pixel`);
  return parts.join(', ');
}

/** `12.3 ms, of which 4.1 ms waiting, 0.2 ms not sampled`. */
function describeDuration({ boxes }: ChartResult, box: number): string {
  const lasts = boxes.toNs[box] - boxes.fromNs[box];
  const parts: string[] = [];
  const waitNs = boxes.waitNs[box];
  if (waitNs > 0) {
    parts.push(waitNs < lasts * WHOLE ? `${formatNanos(waitNs)} waiting` : 'all of it waiting');
  }
  if (boxes.gapNs[box] > 0) parts.push(`${formatNanos(boxes.gapNs[box])} not sampled`);
  const all = lasts === 0 ? 'a moment' : formatNanos(lasts);
  return parts.length === 0 ? all : `${all}, of which ${parts.join(', ')}`;
}

/** Sums of times are exact to less. */
const WHOLE = 0.999_999;

/** Whether the thread did nothing else but wait while it was in this box. */
export function isWaiting({ boxes }: ChartResult, box: number): boolean {
  const waitNs = boxes.waitNs[box];
  return waitNs > 0 && waitNs >= (boxes.toNs[box] - boxes.fromNs[box]) * WHOLE;
}

function seenNs({ boxes, window }: ChartResult, box: number): number {
  const from = Math.max(boxes.fromNs[box], window.fromNs);
  return Math.max(0, Math.min(boxes.toNs[box], window.toNs) - from);
}

/** The precision and the coverage of a chart, in short sentences. */
export function describeChart(
  result: ChartResult,
  chosenThreads: number,
  sampled: ProfileMeta['sampled'],
): string {
  const { precision, window, sampledNs, waitingNs, lostNs } = result;
  const parts: string[] = [];
  if (chosenThreads > 1) {
    parts.push(`The heaviest of the ${formatCount(chosenThreads)} chosen threads.`);
  }
  const { stepNs, isTimed, hasWaits } = precision;
  if (stepNs === 0) parts.push('Samples are moments: what they took is not known.');
  else {
    const every = `${isTimed ? '' : 'usually '}${formatNanos(stepNs)}`;
    parts.push(`Edges are exact to a sample: ${every}.`);
  }
  const shown = sampledWithin(sampled, window);
  const unsampledNs = window.toNs - window.fromNs - shown;
  const share = (ns: number) => formatShare(ns / shown);
  const states = [
    `${share(sampledNs)} of ${unsampledNs > 0 ? 'the sampled' : 'this'} time on a CPU`,
  ];
  if (hasWaits) states.push(`${share(waitingNs)} waited`);
  if (lostNs > 0) states.push(`${share(lostNs)} lost`);
  const rest = shown - sampledNs - waitingNs - lostNs;
  if (rest > shown * LEAST_REPORTED) {
    states.push(`${share(rest)} empty: ${hasWaits ? 'not sampled' : 'off it or not sampled'}`);
  }
  if (stepNs > 0) parts.push(`${states.join(', ')}.`);
  if (unsampledNs > 0) {
    parts.push(`Nothing was sampled in ${formatNanos(unsampledNs)}, hatched.`);
  }
  const narrow = result.boxes.merged.reduce((sum, count) => sum + count, 0);
  if (narrow > 0) {
    parts.push(`${formatCount(narrow)} boxes below a pixel are joined, dotted.`);
  }
  return parts.join(' ');
}

/** Part of the time shown; less would be printed as nothing. */
const LEAST_REPORTED = 0.0005;
