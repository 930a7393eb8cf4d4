import type { OpenResult } from '../worker/messages/messages.ts';
import type { Range, ViewState } from './state.ts';

/** The time that every picture of time spans: the zoomed part of the recording, or all of it. */
export function windowOf({ endNs }: Pick<OpenResult, 'endNs'>, { ruler }: ViewState): Range {
  const whole = { fromNs: 0, toNs: endNs + 1 };
  if (ruler === null || ruler.fromNs >= whole.toNs) return whole;
  return { fromNs: ruler.fromNs, toNs: Math.min(ruler.toNs, whole.toNs) };
}

/**
 * An x axis of time: the `width` pixels from `left` on span `fromNs` … `toNs`.
 *
 * Pictures whose axes are made of the same `windowOf` and have the same left edge (`--track-label`
 * is the width of the column before it) and width show a moment at the same place.
 */
export class TimeAxis {
  /** Pixels, in whatever system of coordinates the picture draws. */
  readonly left: number;
  readonly width: number;
  readonly fromNs: number;
  readonly toNs: number;

  constructor(left: number, width: number, { fromNs, toNs }: Range) {
    this.left = left;
    this.width = width;
    this.fromNs = fromNs;
    this.toNs = toNs;
  }

  get spanNs(): number {
    return this.toNs - this.fromNs;
  }

  get nsPerPixel(): number {
    return this.spanNs / Math.max(1, this.width);
  }

  xOf(ns: number): number {
    return this.left + ((ns - this.fromNs) / this.spanNs) * this.width;
  }

  /** The moment at `x`, also beside the axis. */
  nsAt(x: number): number {
    return this.fromNs + (x - this.left) * this.nsPerPixel;
  }
}
