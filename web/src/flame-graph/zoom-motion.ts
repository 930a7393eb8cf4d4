import type { FrameKey } from '../worker/messages/messages.ts';
import type { FlameGraph } from './flame-graph.ts';

/** Milliseconds: long enough to see where a frame came from, too short to wait for. */
const DURATION_MS = 120;
/** Times its width that a picture is stretched at most: the compositor draws all of that. */
const MOST_STRETCH = 8;

/** A chart and the path that it is zoomed into. */
export type ZoomedChart = { readonly chart: FlameGraph; readonly zoom: readonly FrameKey[] };

/**
 * Shows the way from one zoom to another: into a frame, the new picture grows out of it; out of it, the new one shrinks
 * from where that frame filled the width. Rows keep their places, so only the width changes. The compositor does it,
 * while the page takes input as ever; of the old picture nothing is left to lay out and to paint.
 */
export function moveInto(after: ZoomedChart, before: ZoomedChart): void {
  const { svg, width: whole } = after.chart;
  const into = begins(after.zoom, before.zoom) ? before.chart.spanOf(after.zoom) : null;
  const outOf = begins(before.zoom, after.zoom) ? after.chart.spanOf(before.zoom) : null;
  if (after.zoom.length === before.zoom.length || !isWanted()) return;
  if (into !== null) {
    move(svg, into.x, into.width / before.chart.width);
  } else if (outOf !== null && outOf.width > 0) {
    const stretch = Math.min(MOST_STRETCH, whole / outOf.width);
    // As far left as the old picture was, but not so far that the box shows what is beside the new one.
    move(svg, Math.max(-outOf.x * stretch, whole - whole * stretch), stretch);
  }
}

function move(svg: SVGSVGElement, x: number, stretch: number): void {
  svg.animate([{ transform: `translateX(${x}px) scaleX(${stretch})` }, { transform: 'none' }], {
    duration: DURATION_MS,
    easing: 'ease-out',
  });
}

/** True where `path` leads through `start` and further. */
function begins(path: readonly FrameKey[], start: readonly FrameKey[]): boolean {
  return start.length < path.length && start.every((key, at) => path[at] === key);
}

function isWanted(): boolean {
  return !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
