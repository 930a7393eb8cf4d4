import { roundStep } from '../../../src/base/numbers.ts';
import type { TimeAxis } from '../state/time-axis.ts';
import { formatTick } from '../time/format-tick.ts';

export type RulerTick = { readonly x: number; readonly text: string };

/** Pixels from a tick to its label, and from the label to the next tick at least. */
export const LABEL_GAP = 3;
const LEAST_GAP = 24;

/**
 * Round moments on an axis, as close to each other as their labels allow. Labels stand right of their
 * ticks; one that would reach over `until` has none.
 */
export function rulerTicks(
  axis: TimeAxis,
  until: number,
  widthOf: (text: string) => number,
): RulerTick[] {
  const { fromNs, toNs, nsPerPixel } = axis;
  if (!(toNs > fromNs)) return [];
  for (let stepNs = roundStep(20 * nsPerPixel); ; stepNs = roundStep(stepNs * 1.5)) {
    const first = Math.ceil(fromNs / stepNs);
    const last = Math.floor(toNs / stepNs);
    // The last label is the longest one.
    const width = widthOf(formatTick(last * stepNs, stepNs)) + LABEL_GAP + LEAST_GAP;
    if (width > stepNs / nsPerPixel && last > first) continue;
    const ticks: RulerTick[] = [];
    for (let at = first; at <= last; at++) {
      const x = axis.xOf(at * stepNs);
      const text = formatTick(at * stepNs, stepNs);
      ticks.push({ x, text: x + LABEL_GAP + widthOf(text) <= until ? text : '' });
    }
    return ticks;
  }
}
