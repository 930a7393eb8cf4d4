import type { FrameKey } from '../worker/messages/messages.ts';
import type { FlameGraph } from './flame-graph.ts';

/** Milliseconds: long enough to see where a frame came from, too short to wait for. */
const DURATION_MS = 120;

/** A chart and the path that it is zoomed into. */
export type ZoomedChart = { readonly chart: FlameGraph; readonly zoom: readonly FrameKey[] };

type Span = { readonly x: number; readonly width: number };

/**
 * Shows the way from one zoom to another: into a frame, the new picture grows out of it; out of it, the old
 * one shrinks into it. Rows keep their places, so only the width changes. The compositor does it, while
 * the page takes input as ever. Removes the old picture, which must be frozen.
 */
export function moveBetween(before: ZoomedChart, after: ZoomedChart): void {
  const old = before.chart.svg;
  const into = begins(after.zoom, before.zoom) ? before.chart.spanOf(after.zoom) : null;
  const outOf = begins(before.zoom, after.zoom) ? after.chart.spanOf(before.zoom) : null;
  const isSame = after.zoom.length === before.zoom.length;
  if (isSame || (into === null && outOf === null) || !isWanted()) {
    old.remove();
    return;
  }
  old.classList.add('leaving');
  old.style.top = `${after.chart.topOfRoot - before.chart.topInPicture}px`;
  const moved = into === null ? old : after.chart.svg;
  const place = transformTo(into ?? (outOf as Span), after.chart.width);
  const whole = { transform: 'none' };
  if (into === null) old.classList.add('shrinking');
  const animation = moved.animate(into === null ? [whole, place] : [place, whole], {
    duration: DURATION_MS,
    easing: 'ease-out',
  });
  animation.addEventListener('finish', () => old.remove());
  animation.addEventListener('cancel', () => old.remove());
}

/** True where `path` leads through `start` and further. */
function begins(path: readonly FrameKey[], start: readonly FrameKey[]): boolean {
  return start.length < path.length && start.every((key, at) => path[at] === key);
}

function transformTo({ x, width }: Span, whole: number): Keyframe {
  return { transform: `translateX(${x}px) scaleX(${width / whole})` };
}

function isWanted(): boolean {
  return !window.matchMedia('(prefers-reduced-motion: reduce)').matches;
}
