import { KIND_GROUPS } from '../../../src/formats/export/kind-group.ts';
import { element } from '../dom/dom.ts';
import { type LaneColours, readLaneColours } from './lane-paint.ts';
import { blend, type Pixel, pixel, type TrackPaint } from './track-paint.ts';

/** Colours from the style sheet, as they are now; `dimmed` are those of threads that are left out. */
export type TrackColours = {
  readonly bright: TrackPaint;
  readonly dimmed: TrackPaint;
  readonly text: string;
  readonly line: string;
  readonly accent: string;
  readonly lanes: LaneColours;
};

/** How much of its colour a track that is left out keeps. */
const DIMMED = 0.35;

/** A canvas knows nothing of `light-dark()`, and pixels nothing of the ways to write a colour. */
export function readTrackColours(of: HTMLElement): TrackColours {
  const probe = element('span', 'colour-probe');
  of.append(probe);
  const textOf = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const paper = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  const pixelOf = (name: string): Pixel => {
    if (paper === null) return 0;
    paper.fillStyle = textOf(name);
    paper.fillRect(0, 0, 1, 1);
    const [red, green, blue] = paper.getImageData(0, 0, 1, 1).data;
    return pixel(red, green, blue);
  };
  const page = pixelOf('track-page');
  const bright: TrackPaint = {
    page,
    gap: pixelOf('track-gap'),
    groups: Uint32Array.from(KIND_GROUPS, (group) => pixelOf(`kind-${group}`)),
    wait: pixelOf('track-wait'),
    paused: pixelOf('throttled'),
    lost: pixelOf('lost'),
  };
  const dim = (colour: Pixel) => blend(page, colour, DIMMED);
  const dimmed = {
    ...bright,
    groups: bright.groups.map(dim),
    wait: dim(bright.wait),
    paused: dim(bright.paused),
  };
  const colours = {
    bright,
    dimmed,
    text: textOf('quiet'),
    line: textOf('line'),
    accent: textOf('accent'),
    lanes: readLaneColours(textOf),
  };
  probe.remove();
  return colours;
}
