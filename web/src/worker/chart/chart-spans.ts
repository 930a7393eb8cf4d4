// Hot: once per sample.

import { NONE } from '../../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import { median } from '../../../../src/period/distribution.ts';
import type { Profile } from '../../../../src/profile/types.ts';

/** Kinds of what a thread did from one moment to another. */
export const SPAN = { RUN: 0, WAIT: 1, LOST: 2 } as const;

/**
 * The spans of what a thread did, one after the other. A sample is a moment; its span is the time
 * that it stands for, which ends with it, and begins no earlier than what is known to be before:
 *
 *     time     |-- sample --|-- sample --|   gap   |-- sample --|---- wait ----|- sample -|
 *     taken                 ^            ^                      ^ left the CPU            ^
 *
 * A wait begins with its sample and lasts as long as was measured. A gap is time of which nothing is
 * known: the thread was off its CPU and nobody recorded it, or samples were lost or left out.
 */
export type ThreadSpans = {
  readonly length: number;
  readonly fromNs: Float64Array;
  readonly toNs: Float64Array;
  /** A `SPAN`. */
  readonly kind: Uint8Array;
  /** StackIndex, −1 for a sample without a stack. */
  readonly stack: Int32Array;
  /** Row of the sample table. */
  readonly sample: Int32Array;
  readonly weight: Float64Array;
  /** 1: the frames that it shares with the span before were there between the two as well. */
  readonly goesOn: Uint8Array;
  /** Precision as in `ChartPrecision`. */
  readonly stepNs: number;
  readonly isTimed: boolean;
};

export type SpanInput = {
  /** The profile with the stacks that are shown. */
  readonly profile: Profile;
  /** Rows of one thread and event, in time order. */
  readonly rows: Int32Array;
  /** Rows of the waits of the thread, in time order. */
  readonly waits: Int32Array;
  /** Parallel to the sample table: what samples weigh, and what was lost before each. */
  readonly weight: Float64Array;
  readonly lostBefore: Float64Array | null;
  /** Waits weigh nanoseconds, or 1: a sum with other events means nothing. */
  readonly areWaitsWeighed: boolean;
  /** Parallel to the sample table: nanoseconds behind each sample. Null: the event counts no time. */
  readonly timeOfSample: Float64Array | null;
  /** The event is something that happens at a moment, and takes no time that is known. */
  readonly areInstants: boolean;
};

/** Timers jitter: what is less than this part of a sample too much between two is no gap. */
const JITTER = 0.5;

export function* layOutSpans(input: SpanInput): Slices<ThreadSpans> {
  const { rows, waits } = input;
  const step = stepOf(input);
  const made = new SpanColumns(rows.length * (input.lostBefore === null ? 1 : 2) + waits.length);
  const layer = new SpanLayer(input, step, made);
  const { timeNs } = input.profile.samples;
  let wait = 0;
  yield* eachSlice(rows.length, (first, end) => {
    for (let i = first; i < end; i++) {
      const row = rows[i];
      while (wait < waits.length && timeNs[waits[wait]] <= timeNs[row])
        layer.addWait(waits[wait++]);
      layer.addSample(row);
    }
  });
  while (wait < waits.length) layer.addWait(waits[wait++]);
  return { ...made.finish(), stepNs: step, isTimed: input.timeOfSample !== null };
}

/** So many samples, spread over all of them, tell what is usual. */
const STEP_SAMPLES = 4096;

/** The time that a sample usually stands for, nanoseconds. */
function stepOf({ profile, rows, timeOfSample, areInstants }: SpanInput): number {
  if (areInstants) return 0;
  if (rows.length < 2) return rows.length === 0 ? 0 : (timeOfSample?.[rows[0]] ?? 0);
  const { timeNs } = profile.samples;
  const every = Math.ceil((rows.length - 1) / STEP_SAMPLES);
  const length = Math.floor((rows.length - 1) / every);
  return median(
    Float64Array.from({ length }, (_, k) => {
      const i = 1 + k * every;
      return timeOfSample?.[rows[i]] ?? timeNs[rows[i]] - timeNs[rows[i - 1]];
    }),
  );
}

class SpanLayer {
  readonly #input: SpanInput;
  readonly #stepNs: number;
  readonly #spans: SpanColumns;
  /** The time at which the last span ended, and whether it was a wait. */
  #endNs = Number.NEGATIVE_INFINITY;
  #isBehindWait = false;

  constructor(input: SpanInput, stepNs: number, spans: SpanColumns) {
    this.#input = input;
    this.#stepNs = stepNs;
    this.#spans = spans;
  }

  addSample(row: number): void {
    const { profile, weight, timeOfSample, lostBefore, areInstants } = this.#input;
    const { timeNs, stack } = profile.samples;
    const at = Math.max(timeNs[row], this.#endNs);
    const own = areInstants ? 0 : (timeOfSample?.[row] ?? this.#stepNs);
    const lost = lostBefore === null || timeOfSample === null ? 0 : lostBefore[row];
    const room = at - this.#endNs;
    let from = at - own;
    if (room <= own * (1 + JITTER)) from = this.#endNs;
    else if (lost > 0) this.#addLost(row, Math.max(this.#endNs, from - lost), from, lost);
    const goesOn = from <= this.#endNs || (this.#isBehindWait && this.#isShort(room - own));
    this.#spans.add(from, at, SPAN.RUN, stack[row], row, weight[row], goesOn);
    this.#endNs = at;
    this.#isBehindWait = false;
  }

  /** The time before a wait is known to be spent on a CPU: a short one is not seen by any sample. */
  addWait(row: number): void {
    const { profile, weight, areWaitsWeighed } = this.#input;
    const own = areWaitsWeighed ? weight[row] : 0;
    const { timeNs, stack, periodEvents } = profile.samples;
    const from = Math.max(timeNs[row], this.#endNs);
    const to = Math.max(from, timeNs[row] + periodEvents[row]);
    const goesOn = this.#isShort(from - this.#endNs);
    this.#spans.add(from, to, SPAN.WAIT, stack[row], row, own, goesOn);
    this.#endNs = to;
    this.#isBehindWait = true;
  }

  #addLost(row: number, from: number, to: number, lost: number): void {
    const { lostStack } = this.#input.profile;
    if (lostStack === NONE) return;
    this.#spans.add(from, to, SPAN.LOST, lostStack, row, lost, from <= this.#endNs);
    this.#endNs = to;
  }

  #isShort(gapNs: number): boolean {
    return gapNs <= this.#stepNs * (1 + JITTER);
  }
}

/** Columns with room for a known number of spans. */
class SpanColumns {
  #length = 0;
  readonly #fromNs: Float64Array;
  readonly #toNs: Float64Array;
  readonly #kind: Uint8Array;
  readonly #stack: Int32Array;
  readonly #sample: Int32Array;
  readonly #weight: Float64Array;
  readonly #goesOn: Uint8Array;

  constructor(most: number) {
    this.#fromNs = new Float64Array(most);
    this.#toNs = new Float64Array(most);
    this.#kind = new Uint8Array(most);
    this.#stack = new Int32Array(most);
    this.#sample = new Int32Array(most);
    this.#weight = new Float64Array(most);
    this.#goesOn = new Uint8Array(most);
  }

  add(
    from: number,
    to: number,
    kind: number,
    stack: number,
    sample: number,
    weight: number,
    goesOn: boolean,
  ): void {
    const row = this.#length++;
    this.#fromNs[row] = from;
    this.#toNs[row] = to;
    this.#kind[row] = kind;
    this.#stack[row] = stack;
    this.#sample[row] = sample;
    this.#weight[row] = weight;
    this.#goesOn[row] = goesOn ? 1 : 0;
  }

  finish(): Omit<ThreadSpans, 'stepNs' | 'isTimed'> {
    const length = this.#length;
    return {
      length,
      fromNs: this.#fromNs.subarray(0, length),
      toNs: this.#toNs.subarray(0, length),
      kind: this.#kind.subarray(0, length),
      stack: this.#stack.subarray(0, length),
      sample: this.#sample.subarray(0, length),
      weight: this.#weight.subarray(0, length),
      goesOn: this.#goesOn.subarray(0, length),
    };
  }
}
