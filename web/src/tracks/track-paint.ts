// Hot: once per pixel.

import type { TimeGrid } from '../worker/messages/time-messages.ts';
import type { Track } from '../worker/messages/track-messages.ts';

/** A pixel of `ImageData` as one number: on every machine that runs browsers red is the lowest byte. */
export type Pixel = number;

export const pixel = (red: number, green: number, blue: number): Pixel =>
  ((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0;

/** `share` of `over`, the rest of `under`. */
export function blend(under: Pixel, over: Pixel, share: number): Pixel {
  const mix = (shift: number) => {
    const low = (under >>> shift) & 255;
    return Math.round(low + (((over >>> shift) & 255) - low) * share) << shift;
  };
  return ((255 << 24) | mix(16) | mix(8) | mix(0)) >>> 0;
}

/** Colours of a track. */
export type TrackPaint = {
  readonly page: Pixel;
  readonly gap: Pixel;
  /** Colours by row of `KIND_GROUPS`. */
  readonly groups: Uint32Array;
  readonly wait: Pixel;
  readonly paused: Pixel;
  readonly lost: Pixel;
};

/** How strong what is less than a pixel high is drawn. */
const SLIVER = 0.6;

/** Pixels, all of the device. */
export type PaintArea = {
  readonly pixels: Uint32Array;
  /** Width of the whole picture. */
  readonly width: number;
  readonly top: number;
  readonly height: number;
  /** Device pixels per pixel of the page. */
  readonly ratio: number;
};

/** The cell of `grid` below the middle of each of `width` columns that span a window; −1: none. */
export function cellsOfColumns(
  grid: TimeGrid,
  window: { readonly fromNs: number; readonly toNs: number },
  width: number,
): Int32Array {
  const cells = new Int32Array(width);
  const perColumn = (window.toNs - window.fromNs) / width;
  for (let x = 0; x < width; x++) {
    const cell = Math.floor((window.fromNs + (x + 0.5) * perColumn - grid.firstNs) / grid.cellNs);
    cells[x] = cell >= 0 && cell < grid.length ? cell : -1;
  }
  return cells;
}

/**
 * Paints a track: its groups from the bottom up, waits hatched on them. What is lit stands at the bottom, and what is
 * not is `unlit`. `full` is the weight of a cell
 * that fills the height, `fullWaitNs` the same of waits. A sliver is drawn of whatever is not nothing.
 */
export function paintTrack(
  area: PaintArea,
  { groups, lit, waits, paused }: Track,
  cells: Int32Array,
  { full, fullWaitNs }: { readonly full: number; readonly fullWaitNs: number },
  colours: TrackPaint,
  unlit: TrackPaint,
): void {
  const { pixels, width, top, ratio } = area;
  const others = lit === null ? groups : groups.map((value, at) => value - lit[at]);
  const paintOfOthers = lit === null ? colours.groups : unlit.groups;
  const gap = Math.round(ratio);
  const inner = area.height - 2 * gap;
  const bottom = top + gap + inner;
  const hatch = Math.round(5 * ratio);
  for (let x = 0; x < width; x++) {
    const cell = cells[x];
    const pausedHere = cell >= 0 && paused !== null ? paused[cell] : 0;
    const page =
      pausedHere > 0 ? blend(colours.page, colours.paused, 0.3 + 0.5 * pausedHere) : colours.page;
    for (let y = top; y < top + area.height; y++) {
      pixels[y * width + x] = y < top + gap || y >= bottom ? colours.gap : page;
    }
    if (cell < 0) continue;
    const column = { area, x, bottom, inner, cell, full };
    const below = lit === null ? 0 : paintGroups(column, 0, lit, colours.groups);
    // However little is lit, it is seen below the others.
    const from = below > 0 ? Math.max(gap, below) : 0;
    let filled = paintGroups(column, from, others, paintOfOthers);
    if (filled > 0 && filled < gap) filled = gap;
    const waited = waits === null ? 0 : waits[cell];
    if (waited > 0) {
      const until = Math.min(inner, filled + Math.ceil((waited / fullWaitNs) * inner));
      for (let at = Math.ceil(filled); at < until; at++) {
        const y = bottom - 1 - at;
        if ((x + y) % hatch < ratio) pixels[y * width + x] = colours.wait;
      }
    }
  }
}

/** A column of pixels: the cell that it shows, the weight that fills it, and where it stands. */
type PaintColumn = {
  readonly area: PaintArea;
  readonly x: number;
  readonly bottom: number;
  readonly inner: number;
  readonly cell: number;
  readonly full: number;
};

/** Stacks the groups of a cell from a height on; returns the height that they reach. */
function paintGroups(
  { area, x, bottom, inner, cell, full }: PaintColumn,
  from: number,
  groups: Float32Array,
  colours: Uint32Array,
): number {
  const length = groups.length / colours.length;
  let sum = 0;
  let heaviest = 0;
  for (let group = 0; group < colours.length; group++) {
    const value = groups[group * length + cell];
    sum += value;
    if (value > groups[heaviest * length + cell]) heaviest = group;
  }
  if (!(sum > 0)) return from;
  const least = Math.round(area.ratio);
  const height = (sum / full) * inner;
  if (from === 0 && height < least) {
    fillColumn(
      area,
      x,
      bottom,
      0,
      least,
      blend(area.pixels[(bottom - 1) * area.width + x], colours[heaviest], SLIVER),
    );
    return height;
  }
  let filled = from;
  for (let group = 0; group < colours.length; group++) {
    const value = groups[group * length + cell];
    if (value <= 0 || filled >= inner) continue;
    const begin = filled;
    filled = Math.min(inner, filled + (value / full) * inner);
    fillColumn(area, x, bottom, begin, filled, colours[group]);
  }
  return filled;
}

/** Fills a column from one height above `bottom` to another; the ends in part. */
function fillColumn(
  { pixels, width }: PaintArea,
  x: number,
  bottom: number,
  from: number,
  to: number,
  colour: Pixel,
): void {
  for (let at = Math.floor(from); at < to; at++) {
    const index = (bottom - 1 - at) * width + x;
    const covered = Math.min(to, at + 1) - Math.max(from, at);
    pixels[index] = covered >= 1 ? colour : blend(pixels[index], colour, covered);
  }
}

/** Hatches where nothing was sampled, through all tracks: no height of a track means anything there. */
export function paintUnsampled(
  { pixels, width, top, height, ratio }: PaintArea,
  unsampled: Float64Array,
  cells: Int32Array,
  colour: Pixel,
): void {
  const hatch = Math.round(5 * ratio);
  for (let x = 0; x < width; x++) {
    const cell = cells[x];
    if (cell < 0 || unsampled[cell] < 0.5) continue;
    for (let y = top; y < top + height; y++) {
      if ((x + y) % hatch < ratio) pixels[y * width + x] = colour;
    }
  }
}

/** Paints what was lost, through all tracks; as strong as it is much. */
export function paintLosses(
  { pixels, width, top, height }: PaintArea,
  lost: Float64Array,
  cells: Int32Array,
  colour: Pixel,
): void {
  const most = lost.reduce((top_, value) => Math.max(top_, value), 0);
  for (let x = 0; x < width; x++) {
    const cell = cells[x];
    if (cell < 0 || lost[cell] === 0) continue;
    const share = 0.35 + 0.35 * (lost[cell] / most);
    for (let y = top; y < top + height; y++) {
      const index = y * width + x;
      pixels[index] = blend(pixels[index], colour, share);
    }
  }
}
