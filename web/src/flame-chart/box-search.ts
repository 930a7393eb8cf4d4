import { countBefore } from '../../../src/base/bisect.ts';
import type { ChartBoxes } from '../worker/messages/chart-messages.ts';
import type { ChartWindow } from '../worker/messages/lane-messages.ts';

/** How many rows of boxes there are. */
export function depthCount({ starts }: ChartBoxes): number {
  return starts.length - 1;
}

export function depthOfBox({ starts }: ChartBoxes, box: number): number {
  let depth = 0;
  while (starts[depth + 1] <= box) depth++;
  return depth;
}

/** The box of a depth at a moment, or less than `withinNs` from it; −1: there is none. */
export function boxAt(boxes: ChartBoxes, depth: number, atNs: number, withinNs: number): number {
  if (depth < 0 || depth >= depthCount(boxes)) return -1;
  const { starts, fromNs, toNs } = boxes;
  const first = starts[depth];
  const end = starts[depth + 1];
  // The first box that begins behind the moment.
  const behind = first + countBefore(end - first, (row) => fromNs[first + row] <= atNs);
  const before = behind - 1;
  if (before >= first && toNs[before] > atNs) return before;
  const distance = (box: number) => Math.max(fromNs[box] - atNs, atNs - toNs[box]);
  const near = [before, behind]
    .filter((box) => box >= first && box < end)
    .filter((box) => distance(box) < withinNs)
    .sort((a, b) => distance(a) - distance(b));
  return near[0] ?? -1;
}

/** The middle of what is seen of a box. */
export function middleOfBox(
  { fromNs, toNs }: ChartBoxes,
  box: number,
  window: ChartWindow,
): number {
  return (Math.max(fromNs[box], window.fromNs) + Math.min(toNs[box], window.toNs)) / 2;
}

export type BoxDirection = 'caller' | 'callee' | 'previous' | 'next';

/** The box beside another one: of its caller, its longest callee, or its neighbour; −1: there is none. */
export function boxBeside(
  boxes: ChartBoxes,
  box: number,
  direction: BoxDirection,
  window: ChartWindow,
): number {
  const depth = depthOfBox(boxes, box);
  const { starts } = boxes;
  switch (direction) {
    case 'previous':
      return box > starts[depth] ? box - 1 : -1;
    case 'next':
      return box + 1 < starts[depth + 1] ? box + 1 : -1;
    case 'caller':
      return boxAt(boxes, depth - 1, middleOfBox(boxes, box, window), 0);
    case 'callee':
      return longestWithin(boxes, depth + 1, boxes.fromNs[box], boxes.toNs[box], window);
  }
}

function longestWithin(
  boxes: ChartBoxes,
  depth: number,
  fromNs: number,
  toNs: number,
  window: ChartWindow,
): number {
  if (depth >= depthCount(boxes)) return -1;
  const seen = (box: number) =>
    Math.min(boxes.toNs[box], toNs, window.toNs) -
    Math.max(boxes.fromNs[box], fromNs, window.fromNs);
  let longest = -1;
  for (let box = boxes.starts[depth]; box < boxes.starts[depth + 1]; box++) {
    if (seen(box) < 0 || (seen(box) === 0 && toNs > fromNs)) continue;
    if (longest < 0 || seen(box) > seen(longest)) longest = box;
  }
  return longest;
}
