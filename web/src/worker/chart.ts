import { NONE } from '../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../src/base/slices.ts';
import type { ProfileEvent } from '../../../src/profile/types.ts';
import { isWaitEvent } from '../../../src/profile/wait-event.ts';
import { type GroupedBoxes, mergeSpans } from './chart/chart-boxes.ts';
import { layOutSpans, SPAN, type ThreadSpans } from './chart/chart-spans.ts';
import { chartLanes } from './chart/lanes.ts';
import type { ChartParams, ChartResult } from './messages/chart-messages.ts';
import { keyOfGroup } from './messages/frame-key.ts';
import type { ChartWindow } from './messages/lane-messages.ts';
import type { OpenRecording } from './open-recordings.ts';
import { LabelCollector } from './recording/labels.ts';
import { Recent } from './recording/recent.ts';
import type { LoadedRecording } from './recording/recording.ts';
import type { Selected } from './recording/selected.ts';

/** The flame chart of a thread: boxes in the order of time, on and off the CPU. */
export function* computeChart(open: OpenRecording, params: ChartParams): Slices<ChartResult> {
  const { recording, selected } = open;
  const { profile } = recording;
  const whole = { ...params, fromNs: null, toNs: null };
  const event = runningEvent(profile.events, params.event);
  const runs = yield* selected.get({ ...whole, event });
  const waitEvent = profile.events.findIndex(isWaitEvent);
  const waits = waitEvent === NONE ? null : yield* selected.get({ ...whole, event: waitEvent });
  const thread = params.thread ?? (yield* heaviestThread(runs));
  const key = JSON.stringify([{ ...whole, event, pixels: 0 }, thread]);
  const spans = yield* spansOf(recording).getInSlices(key, () =>
    layOutThread(recording, event, thread, runs, waits),
  );
  const { samples } = profile;
  const lastNs = samples.length === 0 ? 0 : samples.timeNs[samples.length - 1];
  const window = { fromNs: params.fromNs ?? 0, toNs: params.toNs ?? lastNs + 1 };
  const boxes = yield* mergeSpans(spans, runs.callNodes, window, params.pixels);
  const lanes = yield* chartLanes(recording, thread, spans, window, params.pixels);
  return {
    thread: spans.length === 0 ? NONE : thread,
    window,
    ...labelBoxes(recording, boxes),
    unit: runs.weights.unit,
    precision: { stepNs: spans.stepNs, isTimed: spans.isTimed, hasWaits: waits !== null },
    ...sumTimes(spans, window),
    lanes,
  };
}

/** Waits have no picture of their own: they are drawn between what ran. */
function runningEvent(events: readonly ProfileEvent[], event: number): number {
  const chosen = events[event];
  if (chosen === undefined || !isWaitEvent(chosen)) return event;
  const running = events.findIndex((other) => !isWaitEvent(other) && other.unit === 'nanoseconds');
  return running === NONE ? event : running;
}

function* heaviestThread({ profile, samples, weights }: Selected): Slices<number> {
  const ofThread = new Float64Array(profile.threads.length);
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      ofThread[profile.samples.thread[samples[i]]] += weights.values[samples[i]];
    }
  });
  return ofThread.reduce((most, weight, row) => (weight > ofThread[most] ? row : most), 0);
}

const known = new WeakMap<LoadedRecording, Recent<ThreadSpans>>();

function spansOf(recording: LoadedRecording): Recent<ThreadSpans> {
  const recent = known.get(recording) ?? new Recent<ThreadSpans>(3);
  known.set(recording, recent);
  return recent;
}

function* layOutThread(
  recording: LoadedRecording,
  event: number,
  thread: number,
  runs: Selected,
  waits: Selected | null,
): Slices<ThreadSpans> {
  const { profile, weights } = runs;
  const ofThread = (samples: Int32Array) =>
    samples.filter((sample) => profile.samples.thread[sample] === thread);
  const timeOfSample = timeOfSamples(recording, event);
  const areAllWaits = isWaitEvent(profile.events[event]);
  const rows = areAllWaits ? NO_ROWS : ofThread(runs.samples);
  yield;
  return yield* layOutSpans({
    profile,
    rows,
    waits: waits === null ? NO_ROWS : ofThread(waits.samples),
    weight: weights.values,
    areWaitsWeighed: weights.unit === 'nanoseconds' || weights.unit === 'samples',
    lostBefore: weights.unit === 'nanoseconds' ? (weights.lostBefore ?? null) : null,
    timeOfSample,
    areInstants: timeOfSample === null && happensAtMoment(profile.events[event]),
  });
}

const NO_ROWS = new Int32Array(0);

/** Nanoseconds behind each sample; null where the recording can't tell. */
function timeOfSamples({ page, profile }: LoadedRecording, event: number): Float64Array | null {
  const { time, events, period } = page.weights;
  if (time !== undefined) return time.values;
  if (profile.events[event]?.unit !== 'nanoseconds') return null;
  return (events ?? period)?.values ?? new Float64Array(profile.samples.periodEvents);
}

/** Software events that are no clock, tracepoints and breakpoints. */
const INSTANT_TYPES: readonly number[] = [1, 2, 5];

function happensAtMoment({ type }: ProfileEvent): boolean {
  return INSTANT_TYPES.includes(type);
}

function labelBoxes(
  recording: LoadedRecording,
  { group, ...boxes }: GroupedBoxes,
): Pick<ChartResult, 'boxes' | 'labels'> {
  const collector = new LabelCollector(recording, 'none', null);
  const label = group.map((key) => collector.add(key));
  const labels = collector.finish();
  const funcs = recording.profile.funcs.length;
  const key = labels.key.map((own) => keyOfGroup(own, funcs));
  return { boxes: { ...boxes, label }, labels: { ...labels, key } };
}

function sumTimes(
  spans: ThreadSpans,
  window: ChartWindow,
): Pick<ChartResult, 'sampledNs' | 'waitingNs' | 'lostNs'> {
  const sums = [0, 0, 0];
  for (let i = 0; i < spans.length; i++) {
    const from = Math.max(spans.fromNs[i], window.fromNs);
    const to = Math.min(spans.toNs[i], window.toNs);
    if (to > from) sums[spans.kind[i]] += to - from;
  }
  return { sampledNs: sums[SPAN.RUN], waitingNs: sums[SPAN.WAIT], lostNs: sums[SPAN.LOST] };
}
