// Hot: once per span.

import { NONE } from '../../../../src/base/brand.ts';
import { getOrMake } from '../../../../src/base/group-by.ts';
import { GrowableFloat64 } from '../../../../src/base/growable-columns.ts';
import type { Slices } from '../../../../src/base/slices.ts';
import { classifyFuncs } from '../../../../src/code/javascript/frame-class.ts';
import { MARK_KINDS, type MarkKind } from '../../../../src/profile/mark-table.ts';
import { stacksWith } from '../../../../src/profile/stacks-with.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import type { ChartLane, ChartWindow } from '../messages/chart-messages.ts';
import type { LoadedRecording } from '../recording/recording.ts';
import { SPAN, type ThreadSpans } from './chart-spans.ts';

/** Lanes of events: a recording of more has too many to be looked at together. */
const MAX_EVENT_LANES = 4;

/** The lanes above the flame chart of a thread, as far as its samples show it. */
export function* computeLanes(
  recording: LoadedRecording,
  thread: number,
  spans: ThreadSpans,
  window: ChartWindow,
  pixels: number,
): Slices<ChartLane[]> {
  const { profile } = recording;
  const pixelNs = (window.toNs - window.fromNs) / pixels;
  const isCollecting = collectingStacks(recording);
  yield;
  const gc = new LaneBuilder('gc', 'GC', window, pixelNs);
  const turns = new LaneBuilder('turns', 'loop turns', window, pixelNs);
  const lost = new LaneBuilder('lost', 'lost', window, pixelNs);
  const requests = new LaneBuilder('marks', 'requests', window, pixelNs);
  const measures = new LaneBuilder('marks', 'measures', window, pixelNs);
  // V8 announces collections to the library in the program; else samples show them.
  if (!addMarks(gc, profile, thread, ['gc'])) addStretches(gc, spans, profile, isCollecting);
  addTurns(turns, profile, thread);
  addMarks(requests, profile, thread, ['request']);
  addMarks(measures, profile, thread, ['measure', 'console', 'span']);
  yield;
  for (let i = 0; i < spans.length; i++) {
    if (spans.kind[i] === SPAN.LOST) lost.add(spans.fromNs[i], spans.toNs[i]);
  }
  const events = eventLanes(profile, thread, spans, window, pixelNs);
  return [turns, gc, requests, measures, ...events, lost]
    .map((lane) => lane.finish())
    .filter(hasAny);
}

function hasAny({ fromNs }: ChartLane): boolean {
  return fromNs.length > 0;
}

const known = new WeakMap<LoadedRecording, Uint8Array>();

/** 1 by StackIndex where V8 collects garbage, in the stacks as recorded, whatever level is shown. */
function collectingStacks(recording: LoadedRecording): Uint8Array {
  return getOrMake(known, recording, () => {
    const { funcs, strings } = recording.profile;
    const collects = Uint8Array.from(classifyFuncs(recording.profile), (func, index) => {
      const isKind = func.is === 'native' && func.kind === 'gc';
      return isKind || strings[funcs.name[index]] === '(garbage collector)' ? 1 : 0;
    });
    return stacksWith(recording.profile, (func) => collects[func] === 1);
  });
}

/** Turns of the thread's event loop, as they were timed; those of less than a millisecond are not known one by one. */
function addTurns(lane: LaneBuilder, { turns }: Profile, thread: number): void {
  if (turns === undefined) return;
  const { loop, loops, fromNs, toNs } = turns;
  for (let row = 0; row < turns.length; row++) {
    if (loops[loop[row]].thread === thread) lane.add(fromNs[row], toNs[row]);
  }
}

/** Adds the thread's marks of these kinds; whether the thread has any marks. */
function addMarks(
  lane: LaneBuilder,
  { marks }: Profile,
  thread: number,
  kinds: readonly MarkKind[],
): boolean {
  if (marks === undefined) return false;
  const { kind, loop, loops, fromNs, toNs } = marks;
  const isMeant = MARK_KINDS.map((each) => kinds.includes(each));
  let hasMarks = false;
  for (let row = 0; row < marks.length; row++) {
    if (loops[loop[row]].thread !== thread) continue;
    hasMarks = true;
    if (isMeant[kind[row]]) lane.add(fromNs[row], toNs[row]);
  }
  return hasMarks;
}

/** Steps without a sample that a stretch may have in it: the machine may have stood still for one. */
const MISSED_STEPS = 2;

/** Adds the stretches whose samples all have a stack that is marked. */
function addStretches(
  lane: LaneBuilder,
  spans: ThreadSpans,
  { samples }: Profile,
  isMarked: Uint8Array,
): void {
  let from = 0;
  let to = 0;
  let isOpen = false;
  for (let i = 0; i < spans.length; i++) {
    const stack = samples.stack[spans.sample[i]];
    const isIn = stack !== NONE && spans.kind[i] !== SPAN.LOST && isMarked[stack] === 1;
    const isGap = spans.fromNs[i] - to > MISSED_STEPS * spans.stepNs;
    if (isOpen && (!isIn || isGap)) {
      lane.add(from, to);
      isOpen = false;
    }
    if (!isIn) continue;
    if (!isOpen) from = spans.fromNs[i];
    to = spans.toNs[i];
    isOpen = true;
  }
  if (isOpen) lane.add(from, to);
}

/** Other events of the thread that happen at a moment: tracepoints, probes, page faults. */
function eventLanes(
  { events, samples }: Profile,
  thread: number,
  spans: ThreadSpans,
  window: ChartWindow,
  pixelNs: number,
): LaneBuilder[] {
  const shown = spans.length === 0 ? NONE : samples.event[spans.sample[0]];
  const lanes = new Map<number, LaneBuilder>();
  for (const [event, { name, unit }] of events.entries()) {
    // Of clocks and waits each is a picture, not a mark.
    if (event === shown || unit !== 'events') continue;
    if (lanes.size < MAX_EVENT_LANES) {
      lanes.set(event, new LaneBuilder('event', name, window, pixelNs));
    }
  }
  if (lanes.size === 0) return [];
  for (let i = 0; i < samples.length; i++) {
    if (samples.thread[i] !== thread) continue;
    lanes.get(samples.event[i])?.add(samples.timeNs[i], samples.timeNs[i]);
  }
  return [...lanes.values()];
}

/** Collects what overlaps a window; what overlaps or is closer together than a pixel becomes one. */
class LaneBuilder {
  readonly #kind: ChartLane['kind'];
  readonly #title: string;
  readonly #window: ChartWindow;
  readonly #pixelNs: number;
  readonly #fromNs = new GrowableFloat64(16);
  readonly #toNs = new GrowableFloat64(16);
  readonly #count = new GrowableFloat64(16);

  constructor(kind: ChartLane['kind'], title: string, window: ChartWindow, pixelNs: number) {
    this.#kind = kind;
    this.#title = title;
    this.#window = window;
    this.#pixelNs = pixelNs;
  }

  add(from: number, to: number): void {
    if (to < this.#window.fromNs || from >= this.#window.toNs) return;
    const last = this.#fromNs.length - 1;
    const lastFrom = last < 0 ? 0 : this.#fromNs.array[last];
    const isNarrow = to - lastFrom < this.#pixelNs;
    // Requests are answered beside each other.
    if (last >= 0 && (isNarrow || from < this.#toNs.array[last])) {
      this.#toNs.array[last] = Math.max(to, this.#toNs.array[last]);
      this.#count.array[last]++;
      return;
    }
    this.#fromNs.push(from);
    this.#toNs.push(to);
    this.#count.push(1);
  }

  finish(): ChartLane {
    return {
      kind: this.#kind,
      title: this.#title,
      fromNs: this.#fromNs.finish(),
      toNs: this.#toNs.finish(),
      count: this.#count.finish(),
    };
  }
}
