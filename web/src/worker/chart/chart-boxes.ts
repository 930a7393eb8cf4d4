// Hot: once per span and per frame that begins or ends with it.

import { NONE } from '../../../../src/base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../../../src/base/growable-columns.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import type { CallNodeTable } from '../../../../src/profile/analysis/trees/call-nodes.ts';
import { computeDepths } from '../../../../src/profile/analysis/trees/call-tree.ts';
import type { ChartBoxes } from '../messages/chart-messages.ts';
import type { ChartWindow } from '../messages/lane-messages.ts';
import { SPAN, type ThreadSpans } from './chart-spans.ts';

/** Boxes, labelled by the group of their call node. */
export type GroupedBoxes = Omit<ChartBoxes, 'label'> & { readonly group: Int32Array };

/** Pixels that boxes too narrow to be drawn are put together in. */
const MERGED_PIXELS = 2;

/**
 * Merges neighbouring spans: frames that they share from the outermost on become one box, as long as
 * all of them have it; a gap narrower than a pixel ends none. Boxes narrower than a pixel are put together where they touch, and are drawn as the
 * function with most of their time:
 *
 *     spans    a b c | a b | a b d | d        boxes   a────────────── d──
 *                                                     b──────────────
 *                                                     c────       d──
 */
export function* mergeSpans(
  spans: ThreadSpans,
  callNodes: CallNodeTable,
  window: ChartWindow,
  pixels: number,
): Slices<GroupedBoxes> {
  const open = new OpenBoxes(callNodes, window, (window.toNs - window.fromNs) / pixels);
  yield;
  yield* eachSlice(spans.length, (first, end) => open.addSpans(spans, first, end));
  return open.finish();
}

/** The frames of the span that was looked at last, each with the moment and the sums at its begin. */
class OpenBoxes {
  readonly #callNodes: CallNodeTable;
  readonly #depthOfNode: Int32Array;
  readonly #window: ChartWindow;
  readonly #pixelNs: number;
  readonly #rows: readonly DepthRow[];
  /** Per depth. */
  readonly #node: Int32Array;
  readonly #fromNs: Float64Array;
  readonly #gapBefore: Float64Array;
  readonly #samplesBefore: Float64Array;
  readonly #weightBefore: Float64Array;
  readonly #waitBefore: Float64Array;
  /** Depth of the innermost open frame; −1: none. */
  #depth = NONE;
  #endNs = Number.NEGATIVE_INFINITY;
  #samples = 0;
  #weight = 0;
  #waitNs = 0;
  #gapNs = 0;

  constructor(callNodes: CallNodeTable, window: ChartWindow, pixelNs: number) {
    this.#callNodes = callNodes;
    this.#window = window;
    this.#pixelNs = pixelNs;
    this.#depthOfNode = computeDepths(callNodes.prefix);
    const depths = this.#depthOfNode.reduce((most, depth) => Math.max(most, depth), NONE) + 1;
    const merging = { window, pixelNs, timeOfGroup: new Float64Array(groupCount(callNodes)) };
    this.#rows = Array.from({ length: depths }, () => new DepthRow(merging));
    this.#node = new Int32Array(depths);
    this.#fromNs = new Float64Array(depths);
    this.#gapBefore = new Float64Array(depths);
    this.#samplesBefore = new Float64Array(depths);
    this.#weightBefore = new Float64Array(depths);
    this.#waitBefore = new Float64Array(depths);
  }

  addSpans(spans: ThreadSpans, first: number, end: number): void {
    const { stackToCallNode, prefix } = this.#callNodes;
    const depthOfNode = this.#depthOfNode;
    const open = this.#node;
    for (let i = first; i < end; i++) {
      const gapNs = spans.fromNs[i] - this.#endNs;
      if (spans.goesOn[i] === 0 && gapNs >= this.#pixelNs) this.#closeTo(NONE);
      const stack = spans.stack[i];
      let node = stack === NONE ? NONE : stackToCallNode[stack];
      const depth = node === NONE ? NONE : depthOfNode[node];
      // The outermost frames that differ are found from the inside: no span is walked to its root.
      let shared = depth;
      let above = node;
      while (shared > this.#depth) {
        above = prefix[above];
        shared--;
      }
      while (shared >= 0 && open[shared] !== above) {
        above = prefix[above];
        shared--;
      }
      this.#closeTo(shared);
      if (shared >= 0) this.#gapNs += gapNs;
      for (let at = depth; at > shared; at--) {
        open[at] = node;
        node = prefix[node];
        this.#fromNs[at] = spans.fromNs[i];
        this.#gapBefore[at] = this.#gapNs;
        this.#samplesBefore[at] = this.#samples;
        this.#weightBefore[at] = this.#weight;
        this.#waitBefore[at] = this.#waitNs;
      }
      this.#depth = depth;
      this.#endNs = spans.toNs[i];
      this.#weight += spans.weight[i];
      if (spans.kind[i] !== SPAN.LOST) this.#samples++;
      if (spans.kind[i] === SPAN.WAIT) this.#waitNs += spans.toNs[i] - spans.fromNs[i];
    }
  }

  /** Ends the frames that are deeper than `shared`. */
  #closeTo(shared: number): void {
    const to = this.#endNs;
    const { fromNs, toNs } = this.#window;
    for (let depth = this.#depth; depth > shared; depth--) {
      const from = this.#fromNs[depth];
      // An instant at the first moment is inside, what ends there is not.
      if (from >= toNs || to < fromNs || (to === fromNs && from < fromNs)) continue;
      this.#rows[depth].add(
        this.#callNodes.group[this.#node[depth]],
        from,
        to,
        this.#samples - this.#samplesBefore[depth],
        this.#weight - this.#weightBefore[depth],
        this.#waitNs - this.#waitBefore[depth],
        this.#gapNs - this.#gapBefore[depth],
      );
    }
    this.#depth = Math.min(this.#depth, shared);
  }

  finish(): GroupedBoxes {
    this.#closeTo(NONE);
    let used = 0;
    this.#rows.forEach((row, depth) => {
      row.flush();
      if (row.boxes.length > 0) used = depth + 1;
    });
    const tables = this.#rows.slice(0, used).map(({ boxes }) => boxes);
    const starts = new Int32Array(used + 1);
    tables.forEach(({ length }, depth) => {
      starts[depth + 1] = starts[depth] + length;
    });
    const floats = (column: FloatColumn) =>
      joinFloats(
        tables.map((table) => table[column].finish()),
        starts[used],
      );
    const ints = (column: 'group' | 'merged') =>
      Int32Array.from(tables.flatMap((table) => Array.from(table[column].finish())));
    return {
      starts,
      fromNs: floats('fromNs'),
      toNs: floats('toNs'),
      group: ints('group'),
      merged: ints('merged'),
      samples: floats('samples'),
      weight: floats('weight'),
      waitNs: floats('waitNs'),
      gapNs: floats('gapNs'),
    };
  }
}

type FloatColumn = 'fromNs' | 'toNs' | 'samples' | 'weight' | 'waitNs' | 'gapNs';

function joinFloats(parts: readonly Float64Array[], length: number): Float64Array {
  const joined = new Float64Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function groupCount({ group }: CallNodeTable): number {
  return group.reduce((most, value) => Math.max(most, value), NONE) + 1;
}

type Merging = {
  readonly window: ChartWindow;
  readonly pixelNs: number;
  /** Time by group; all 0 between two uses. */
  readonly timeOfGroup: Float64Array;
};

/** The boxes of one depth, and those that are too narrow to be drawn, until they are put together. */
class DepthRow {
  readonly boxes = new BoxColumns();
  readonly #merging: Merging;
  readonly #group = new GrowableInt32(16);
  readonly #timeNs = new GrowableFloat64(16);
  #cell = NONE;
  #fromNs = 0;
  #toNs = 0;
  #samples = 0;
  #weight = 0;
  #waitNs = 0;
  #gapNs = 0;

  constructor(merging: Merging) {
    this.#merging = merging;
  }

  add(
    group: number,
    from: number,
    to: number,
    samples: number,
    weight: number,
    waitNs: number,
    gapNs: number,
  ): void {
    const { window, pixelNs } = this.#merging;
    const shownFrom = Math.max(from, window.fromNs);
    const shownTo = Math.min(to, window.toNs);
    if (shownTo - shownFrom >= pixelNs) {
      this.flush();
      this.boxes.add(group, from, to, [samples, weight, waitNs, gapNs], 0);
      return;
    }
    const cell = Math.floor((shownFrom - window.fromNs) / (MERGED_PIXELS * pixelNs));
    const isApart = cell !== this.#cell || shownFrom - this.#toNs > pixelNs;
    if (this.#group.length > 0 && isApart) this.flush();
    if (this.#group.length === 0) {
      this.#cell = cell;
      this.#fromNs = from;
    }
    this.#group.push(group);
    this.#timeNs.push(to - from);
    this.#toNs = to;
    this.#samples += samples;
    this.#weight += weight;
    this.#waitNs += waitNs;
    this.#gapNs += gapNs;
  }

  /** Makes one box of those that wait. One alone stays what it is. */
  flush(): void {
    const count = this.#group.length;
    if (count === 0) return;
    const group = count === 1 ? this.#group.array[0] : this.#findLongest();
    const { pixelNs } = this.#merging;
    const sums = [this.#samples, this.#weight, this.#waitNs, this.#gapNs] as const;
    const since = this.#fromNs - pixelNs;
    if (!this.boxes.extend(group, since, this.#toNs, sums, count)) {
      this.boxes.add(group, this.#fromNs, this.#toNs, sums, count === 1 ? 0 : count);
    }
    this.#group.length = 0;
    this.#timeNs.length = 0;
    this.#samples = 0;
    this.#weight = 0;
    this.#waitNs = 0;
    this.#gapNs = 0;
  }

  /** The group with the most time among the boxes that wait; of instants the first. */
  #findLongest(): number {
    const { timeOfGroup } = this.#merging;
    const groups = this.#group.array;
    const times = this.#timeNs.array;
    const count = this.#group.length;
    for (let i = 0; i < count; i++) timeOfGroup[groups[i]] += times[i];
    let longest = groups[0];
    for (let i = 1; i < count; i++) {
      if (timeOfGroup[groups[i]] > timeOfGroup[longest]) longest = groups[i];
    }
    for (let i = 0; i < count; i++) timeOfGroup[groups[i]] = 0;
    return longest;
  }
}

/** Samples, weight, and nanoseconds of waits and of gaps. */
type BoxSums = readonly [samples: number, weight: number, waitNs: number, gapNs: number];

class BoxColumns {
  readonly group = new GrowableInt32(16);
  readonly fromNs = new GrowableFloat64(16);
  readonly toNs = new GrowableFloat64(16);
  readonly samples = new GrowableFloat64(16);
  readonly weight = new GrowableFloat64(16);
  readonly waitNs = new GrowableFloat64(16);
  readonly gapNs = new GrowableFloat64(16);
  readonly merged = new GrowableInt32(16);

  get length(): number {
    return this.group.length;
  }

  add(
    group: number,
    from: number,
    to: number,
    [samples, weight, waitNs, gapNs]: BoxSums,
    merged: number,
  ): void {
    this.group.push(group);
    this.fromNs.push(from);
    this.toNs.push(to);
    this.samples.push(samples);
    this.weight.push(weight);
    this.waitNs.push(waitNs);
    this.gapNs.push(gapNs);
    this.merged.push(merged);
  }

  /** Adds boxes to the last one, if that is a merged one of the same group and ends after `since`. */
  extend(
    group: number,
    since: number,
    to: number,
    [samples, weight, waitNs, gapNs]: BoxSums,
    merged: number,
  ): boolean {
    const last = this.length - 1;
    if (last < 0 || this.group.array[last] !== group || this.merged.array[last] === 0) return false;
    if (this.toNs.array[last] < since) return false;
    this.toNs.array[last] = to;
    this.samples.array[last] += samples;
    this.weight.array[last] += weight;
    this.waitNs.array[last] += waitNs;
    this.gapNs.array[last] += gapNs;
    this.merged.array[last] += merged;
    return true;
  }
}
