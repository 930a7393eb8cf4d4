import type { TimeAxis } from '../state/time-axis.ts';
import type { Lane, LaneHead } from '../worker/messages/lane-messages.ts';
import { longestOf } from './lane-words.ts';

export type LaneColours = Readonly<Record<LaneHead['kind'] | 'line', string>>;

/** Strength of what is drawn as one, beside the longest thing in it. */
const FAINT = 0.5;

/**
 * Paints a row of an axis of time: a bar for each thing of a lane, and a line below. The longest is as high as the row, others by the
 * root of their length: a slow one stands out among many.
 */
export function paintLane(
  context: CanvasRenderingContext2D,
  lane: Lane,
  axis: TimeAxis,
  { top, height }: { readonly top: number; readonly height: number },
  colours: LaneColours,
): void {
  const { kind, fromNs, toNs, longest } = lane;
  context.fillStyle = colours.line;
  context.fillRect(axis.left, top + height - 1, axis.width, 1);
  context.fillStyle = colours[kind];
  const most = longestOf(lane);
  const fill = (from: number, to: number, share: number) => {
    const left = Math.max(axis.left, axis.xOf(from));
    const right = Math.min(axis.left + axis.width, axis.xOf(to));
    const wide = right - left;
    const high = Math.max(1, Math.round(share * (height - 3)));
    context.fillRect(left, top + height - 1 - high, Math.max(1, wide > 3 ? wide - 1 : wide), high);
  };
  for (const [i, item] of longest.entries()) {
    const share = most > 0 ? Math.sqrt((item.toNs - item.fromNs) / most) : 1;
    context.globalAlpha = FAINT;
    fill(fromNs[i], toNs[i], share);
    context.globalAlpha = 1;
    fill(item.fromNs, item.toNs, share);
  }
}

/** The colours of lanes as a style sheet has them. */
export function readLaneColours(read: (variable: string) => string): LaneColours {
  const accent = read('accent');
  return {
    gc: read('kind-gc'),
    turns: read('quiet'),
    marks: accent,
    event: accent,
    lost: read('lost'),
    line: read('line'),
  };
}
