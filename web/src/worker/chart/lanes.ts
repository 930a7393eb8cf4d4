// Hot: once per span.

import { NONE } from '../../../../src/base/brand.ts';
import { getOrMake } from '../../../../src/base/group-by.ts';
import { GrowableFloat64 } from '../../../../src/base/growable-columns.ts';
import type { Slices } from '../../../../src/base/slices.ts';
import { classifyFuncs } from '../../../../src/code/javascript/frame-class.ts';
import { MARK_KINDS, type MarkKind } from '../../../../src/profile/mark-table.ts';
import { stacksWith } from '../../../../src/profile/stacks-with.ts';
import type { TurnLoop, TurnTable } from '../../../../src/profile/turn-table.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import type {
  ChartWindow,
  Lane,
  LaneHead,
  LaneItem,
  LanesParams,
} from '../messages/lane-messages.ts';
import { lanesOf } from '../recording/lane-heads.ts';
import type { LoadedRecording } from '../recording/recording.ts';
import { SPAN, type ThreadSpans } from './chart-spans.ts';

/** Lanes of events: a recording of more has too many to be looked at together. */
const MAX_EVENT_LANES = 4;

/** The turns and marks of the event loops of the threads that are chosen, or of all. */
export function* computeLanes(
  { profile }: LoadedRecording,
  { threads, pid, pixels, ...window }: LanesParams,
): Slices<Lane[]> {
  const pixelNs = (window.toNs - window.fromNs) / pixels;
  const isShown = (loop: TurnLoop) =>
    (threads.length === 0 || threads.includes(loop.thread)) && (pid === null || pid === loop.pid);
  const lanes: Lane[] = [];
  for (const { kind, title, marks } of lanesOf(profile)) {
    const lane = new LaneBuilder(kind, title, window, pixelNs);
    if (marks === undefined) addTurns(lane, profile, isShown);
    else addMarks(lane, profile, marks, isShown);
    lanes.push(lane.finish());
    yield;
  }
  return lanes;
}

/** The lanes above the flame chart of a thread: what its samples show, and no lane above the tracks has. */
export function* chartLanes(
  recording: LoadedRecording,
  thread: number,
  spans: ThreadSpans,
  window: ChartWindow,
  pixels: number,
): Slices<Lane[]> {
  const { profile } = recording;
  const pixelNs = (window.toNs - window.fromNs) / pixels;
  const isCollecting = collectingStacks(recording);
  yield;
  const gc = new LaneBuilder('gc', 'GC', window, pixelNs);
  const lost = new LaneBuilder('lost', 'lost', window, pixelNs);
  // V8 announces collections to the library in the program; else samples show them.
  const isAnnounced = profile.marks?.loops.some((loop) => loop.thread === thread) ?? false;
  if (!isAnnounced) addStretches(gc, spans, profile, isCollecting);
  for (let i = 0; i < spans.length; i++) {
    if (spans.kind[i] === SPAN.LOST) lost.add(spans.fromNs[i], spans.toNs[i]);
  }
  const events = eventLanes(profile, thread, spans, window, pixelNs);
  return [gc, ...events, lost].map((lane) => lane.finish()).filter(hasAny);
}

function hasAny({ fromNs }: Lane): boolean {
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

/** Rows of turns in the order of time, for as long as the recording is open: each move of the window asks for them. */
const inTime = new WeakMap<TurnTable, Int32Array>();

function rowsInTime({ length, loops, fromNs }: TurnTable): Int32Array {
  const rows = Int32Array.from({ length }, (_, row) => row);
  // The rows of each loop are in that order already.
  return loops.length > 1 ? rows.sort((a, b) => fromNs[a] - fromNs[b]) : rows;
}

/** Adds turns as they were timed; those of less than a millisecond are not known one by one. */
function addTurns(lane: LaneBuilder, { turns }: Profile, isShown: (loop: TurnLoop) => boolean) {
  if (turns === undefined) return;
  const { loop, loops, fromNs, toNs } = turns;
  for (const row of getOrMake(inTime, turns, () => rowsInTime(turns))) {
    const of = loops[loop[row]];
    if (isShown(of)) lane.add(fromNs[row], toNs[row], of.thread);
  }
}

function addMarks(
  lane: LaneBuilder,
  { marks }: Profile,
  kinds: readonly MarkKind[],
  isShown: (loop: TurnLoop) => boolean,
): void {
  if (marks === undefined) return;
  const { kind, loop, loops, text, names, fromNs, toNs } = marks;
  const isMeant = MARK_KINDS.map((each) => kinds.includes(each));
  for (let row = 0; row < marks.length; row++) {
    const of = loops[loop[row]];
    if (isMeant[kind[row]] && isShown(of)) {
      lane.add(fromNs[row], toNs[row], of.thread, names[text[row]]);
    }
  }
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
    if (event === shown || unit === 'nanoseconds') continue;
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

/** Things that are drawn one by one; more than these are joined with those that they overlap. */
const MOST_ITEMS = 5000;

/** Collects what overlaps a window, in the order of its begins; what is closer together than a pixel becomes one. */
class LaneBuilder {
  readonly #head: LaneHead;
  readonly #window: ChartWindow;
  readonly #pixelNs: number;
  readonly #fromNs = new GrowableFloat64(16);
  readonly #toNs = new GrowableFloat64(16);
  readonly #count = new GrowableFloat64(16);
  readonly #longest: LaneItem[] = [];

  constructor(kind: Lane['kind'], title: string, window: ChartWindow, pixelNs: number) {
    this.#head = { kind, title };
    this.#window = window;
    this.#pixelNs = pixelNs;
  }

  add(from: number, to: number, thread = NONE, name = ''): void {
    if (to < this.#window.fromNs || from >= this.#window.toNs) return;
    const last = this.#fromNs.length - 1;
    const lastFrom = last < 0 ? 0 : this.#fromNs.array[last];
    const isNarrow = to - lastFrom < this.#pixelNs;
    const item = { fromNs: from, toNs: to, thread, name };
    if (last >= 0 && (isNarrow || (last >= MOST_ITEMS && from < this.#toNs.array[last]))) {
      this.#toNs.array[last] = Math.max(to, this.#toNs.array[last]);
      this.#count.array[last]++;
      const { fromNs, toNs } = this.#longest[last];
      if (to - from > toNs - fromNs) this.#longest[last] = item;
      return;
    }
    this.#fromNs.push(from);
    this.#toNs.push(to);
    this.#count.push(1);
    this.#longest.push(item);
  }

  finish(): Lane {
    return {
      ...this.#head,
      fromNs: this.#fromNs.finish(),
      toNs: this.#toNs.finish(),
      count: this.#count.finish(),
      longest: this.#longest,
    };
  }
}
