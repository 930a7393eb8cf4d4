import { NONE } from '../../base/brand.ts';
import { GrowableFloat64, GrowableInt32 } from '../../base/growable-columns.ts';
import { unsampledWithin } from '../../profile/sampled-time.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { type CpuProfileNodes, META_NODE } from './cpuprofile-nodes.ts';

/** Spans of one thread, one after the other, without gaps. */
export type CpuProfileTimeline = {
  readonly length: number;
  /** Row of `CpuProfileNodes`. */
  readonly node: Int32Array;
  /** StackIndex of the span's sample; −1 for a span that is no sample. */
  readonly stack: Int32Array;
  /** Microseconds, whole. */
  readonly microseconds: Float64Array;
  /** Begin of the first span: nanoseconds as `SampleTable.timeNs`; 0 where the axis is no time. */
  readonly startNs: number;
};

const NANOSECONDS_PER_MICROSECOND = 1000;

/** Whether the weights are a time that is laid out on the recording's clock. */
export function isTimed({ unit }: Pick<Weights, 'unit'>): boolean {
  return unit === 'nanoseconds';
}

/**
 * Lays the samples (rows, one thread, one event, in time order) out as spans. A span is as long as
 * its sample's weight, so the sums of a reader are what was counted:
 *
 *     time     |---- weight ----|·  idle  ·|-- weight --|-- weight --|
 *                         sample ^                sample ^     sample ^
 *
 * The time before a sample that no weight covers is `gapNode`, and not sampled where no event was enabled. Of waits a sample stands at the begin. A gap shorter
 * than half a weight is the timer's jitter: it is left to the next one. Weights that are no time follow each other.
 *
 * Microseconds are rounded for each node's sum, not for each span: a node is right to half of one,
 * however many samples it has.
 */
export function layOut(
  { samples, lostStack, meta }: Profile,
  weights: Weights,
  rows: Int32Array,
  nodes: CpuProfileNodes,
  gapNode: number,
): CpuProfileTimeline {
  const { stack: stackOfSample, timeNs } = samples;
  const { values, lostBefore } = weights;
  const timed = isTimed(weights);
  const areWaits = weights.areWaits === true;
  const spans = new Spans(nodes.length, timed ? NANOSECONDS_PER_MICROSECOND : 1);
  let startNs = Number.NaN;
  let cursor = 0;
  // Hot: once per sample.
  for (let i = 0; i < rows.length; i++) {
    const sample = rows[i];
    const weight = values[sample];
    const lost = lostBefore === undefined ? 0 : lostBefore[sample];
    const at = timeNs[sample];
    if (timed && !Number.isNaN(at)) {
      const begin = areWaits ? at : at - weight - lost;
      if (Number.isNaN(startNs)) {
        startNs = begin;
        cursor = begin;
      }
      const gap = begin - cursor;
      if (gap > 0 && gap >= (weight + lost) / 2) {
        for (const { fromNs, toNs } of unsampledWithin(meta.sampled, {
          fromNs: cursor,
          toNs: begin,
        })) {
          if (fromNs > cursor) spans.add(gapNode, NONE, fromNs - cursor);
          spans.add(META_NODE.unsampled, NONE, toNs - fromNs);
          cursor = toNs;
        }
        if (begin > cursor) spans.add(gapNode, NONE, begin - cursor);
        cursor = begin;
      }
    }
    if (lost > 0 && lostStack !== NONE) spans.add(nodes.ofStack[lostStack], NONE, lost);
    const stack = stackOfSample[sample];
    spans.add(stack === NONE ? META_NODE.program : nodes.ofStack[stack], stack, weight);
    cursor += lost + weight;
  }
  return { ...spans.finish(), startNs: Number.isNaN(startNs) ? 0 : startNs };
}

class Spans {
  readonly #node = new GrowableInt32();
  readonly #stack = new GrowableInt32();
  readonly #microseconds = new GrowableFloat64();
  readonly #perMicrosecond: number;
  /** Difference, by node, between what its spans so far should sum to and what they do, in the weights' unit. */
  readonly #owed: Float64Array;

  constructor(nodes: number, perMicrosecond: number) {
    this.#owed = new Float64Array(nodes);
    this.#perMicrosecond = perMicrosecond;
  }

  // Hot: once per span.
  add(node: number, stack: number, length: number): void {
    const owed = this.#owed[node] + length;
    const whole = Math.max(0, Math.round(owed / this.#perMicrosecond));
    this.#owed[node] = owed - whole * this.#perMicrosecond;
    this.#node.push(node);
    this.#stack.push(stack);
    this.#microseconds.push(whole);
  }

  finish(): Omit<CpuProfileTimeline, 'startNs'> {
    return {
      length: this.#node.length,
      node: this.#node.finish(),
      stack: this.#stack.finish(),
      microseconds: this.#microseconds.finish(),
    };
  }
}
