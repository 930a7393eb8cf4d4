import { expect, test } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import type { PageProfile } from '../../src/formats/export/page-profile.ts';
import { MARK_KINDS } from '../../src/profile/mark-table.ts';
import type { Profile, ProfileEvent } from '../../src/profile/types.ts';
import { decodeLoops } from '../../src/read/jit/loop-streams.ts';
import { describeBox } from '../../web/src/flame-chart/box-words.ts';
import type { ChartParams, ChartResult } from '../../web/src/worker/messages/chart-messages.ts';
import type { Lane, LanesParams } from '../../web/src/worker/messages/lane-messages.ts';
import { createAnswers } from '../helpers/page-answers.ts';
import { pageOf } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { WHOLE } from '../helpers/selections.ts';
import { TurnStream } from '../helpers/turn-stream.ts';

const MS = 1e6;
const ms = (...times: number[]) => times.map((time) => time * MS);

function answersOf(page: PageProfile) {
  const answers = createAnswers();
  answers.open({ slot: 0, side: 'here', bytes: encodePageData(page) });
  return answers;
}

function chart(page: PageProfile, params: Partial<ChartParams> = {}): ChartResult {
  return answersOf(page).chart({ ...WHOLE, thread: null, pixels: 1e6, ...params });
}

/** The lanes above the tracks. */
function lanesOf(page: PageProfile, params: Partial<LanesParams> = {}) {
  const window = { fromNs: 0, toNs: 10 * MS, pixels: 1e6 };
  return answersOf(page).lanes({ threads: [], pid: null, ...window, ...params });
}

/** A row for each depth: `main 0–3, work 3–4` in milliseconds; `(n)` stands for n boxes in one. */
function draw({ boxes, labels }: ChartResult): string[] {
  return Array.from({ length: boxes.starts.length - 1 }, (_, depth) => {
    const texts: string[] = [];
    for (let box = boxes.starts[depth]; box < boxes.starts[depth + 1]; box++) {
      const merged = boxes.merged[box] > 0 ? `(${boxes.merged[box]}) ` : '';
      const [from, to] = [boxes.fromNs[box], boxes.toNs[box]].map((ns) => round(ns / MS));
      texts.push(`${merged}${labels.name[boxes.label[box]]} ${from}–${to}`);
    }
    return texts.join(', ');
  });
}

const round = (value: number) => Number(value.toFixed(3));
const drawLanes = (lanes: readonly Lane[]) =>
  lanes.map(
    ({ title, fromNs, toNs }) =>
      `${title}: ${Array.from(fromNs, (from, i) => `${round(from / MS)}–${round(toNs[i] / MS)}`).join(', ')}`,
  );

/** A clock's samples, each of which stands for a millisecond. */
const CLOCK = profileFromText(`
  event   cpu-clock  cpu-clock  cpu-clock  cpu-clock  cpu-clock
  period  1000000    1000000    1000000    1000000    1000000
          main       main       main       main       main
          work       work       idle       work       work
          leaf                             leaf       leaf
`);

test('neighbouring samples become one box as far in as they are alike', () => {
  const result = chart(pageOf(CLOCK, { timeNs: ms(1, 2, 3, 4, 5) }));
  expect(draw(result)).toEqual(['main 0–5', 'work 0–2, idle 2–3, work 3–5', 'leaf 0–1, leaf 3–5']);
  expect([...result.boxes.samples]).toEqual([5, 2, 1, 2, 1, 2]);
  expect(result.precision).toEqual({ stepNs: MS, isTimed: true, hasWaits: false });
});

test('the widths of a function sum to its weight, where weight is time', () => {
  const result = chart(pageOf(CLOCK, { timeNs: ms(1, 2, 3, 7, 8) }));
  const widths: Record<string, number> = {};
  const weights: Record<string, number> = {};
  for (let box = 0; box < result.boxes.label.length; box++) {
    const name = result.labels.name[result.boxes.label[box]];
    const width = result.boxes.toNs[box] - result.boxes.fromNs[box];
    widths[name] = (widths[name] ?? 0) + width;
    weights[name] = (weights[name] ?? 0) + result.boxes.weight[box];
  }
  expect(widths).toEqual({ main: 5 * MS, work: 4 * MS, idle: MS, leaf: 3 * MS });
  expect(weights).toEqual(widths);
});

test('a sample stands for no more time than it weighs, and a gap stays empty', () => {
  const result = chart(pageOf(CLOCK, { timeNs: ms(1, 2, 3, 7, 8) }));
  expect(draw(result)[0]).toBe('main 0–3, main 6–8');
  expect(result.sampledNs).toBe(5 * MS);
});

test('the jitter of a timer leaves no gap, and a box never begins before the sample before', () => {
  const result = chart(pageOf(CLOCK, { timeNs: ms(1, 2.4, 3.2, 4, 5.4) }));
  expect(draw(result)).toEqual([
    'main 0–5.4',
    'work 0–2.4, idle 2.4–3.2, work 3.2–5.4',
    'leaf 0–1, leaf 3.2–5.4',
  ]);
});

test('a thread of its own has a chart, that with the most weight if none is chosen', () => {
  const drawn = profileFromText(`
    tid     1          2          1          2          2
    event   cpu-clock  cpu-clock  cpu-clock  cpu-clock  cpu-clock
    period  1000000    1000000    1000000    1000000    1000000
            one        two        one        two        two
  `);
  const page = pageOf(drawn, { timeNs: ms(1, 1.5, 2, 2.5, 3.5) });
  expect(chart(page).thread).toBe(1);
  expect(draw(chart(page))).toEqual(['two 0.5–3.5']);
  expect(draw(chart(page, { thread: 0 }))).toEqual(['one 0–2']);
  expect(chart(page, { thread: 7 }).thread).toBe(-1);
});

test('a single sample is as long as it says', () => {
  const drawn = profileFromText(`
    event   cpu-clock
    period  1000000
            main
  `);
  const { precision } = chart(pageOf(drawn, { timeNs: ms(2), event: { unit: 'nanoseconds' } }));
  expect(precision).toEqual({ stepNs: MS, isTimed: true, hasWaits: false });
});

test('a window has the boxes that overlap it, with their whole times', () => {
  const page = pageOf(CLOCK, { timeNs: ms(1, 2, 3, 4, 5) });
  const result = chart(page, { fromNs: 2.5 * MS, toNs: 3.5 * MS });
  expect(draw(result)).toEqual(['main 0–5', 'idle 2–3, work 3–5', 'leaf 3–5']);
  expect(result.window).toEqual({ fromNs: 2.5 * MS, toNs: 3.5 * MS });
  expect(result.sampledNs).toBe(MS);
});

test('boxes narrower than a pixel are put together under the one with the most time', () => {
  const count = 100;
  const stacks = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? 'b' : 'a'));
  const text = [
    `event   ${stacks.map(() => 'cpu-clock').join('  ')}`,
    `period  ${stacks.map(() => '1000000  ').join('  ')}`,
    `        ${stacks.map(() => 'main     ').join('  ')}`,
    `        ${stacks.map((name) => name.padEnd(9)).join('  ')}`,
  ].join('\n');
  const page = pageOf(profileFromText(text), {
    timeNs: stacks.map((_, i) => (i + 1) * MS),
  });
  const result = chart(page, { pixels: 10 });
  const { boxes } = result;
  expect(draw(result)[0]).toBe('main 0–100');
  // One main, and as many others as there are runs of a and b.
  const runs = stacks.filter((name, i) => name !== stacks[i - 1]).length;
  expect(boxes.starts[2] - boxes.starts[1]).toBeLessThanOrEqual(5);
  const below = (column: Float64Array | Int32Array) =>
    Array.from(column)
      .slice(boxes.starts[1])
      .reduce((sum, value) => sum + value, 0);
  expect(below(boxes.merged)).toBe(runs);
  expect([below(boxes.samples), below(boxes.weight)]).toEqual([count, count * MS]);
  expect(result.labels.name[boxes.label[boxes.starts[1]]]).toBe('a');
});

test('a gap narrower than a pixel ends no box, and is said to be in it', () => {
  const page = pageOf(CLOCK, { timeNs: ms(1, 2, 3, 7, 8) });
  const result = chart(page, { toNs: 100 * MS, pixels: 10 });
  expect(draw(result)[0]).toBe('main 0–8');
  expect(result.boxes.gapNs[0]).toBe(3 * MS);
  expect(result.boxes.weight[0]).toBe(5 * MS);
});

const WAITS = { type: 2, mode: 'clock', unit: 'nanoseconds', frequencyHz: null } as const;

/** `off-cpu` weighs what its samples' threads waited. */
function withWaits(drawn: Profile): Profile {
  const events = drawn.events.map(
    (event): ProfileEvent => (event.name === 'off-cpu' ? { ...event, ...WAITS } : event),
  );
  return { ...drawn, events };
}

test('the waits of a thread stand between its other frames, joined in the frames that both have', () => {
  const drawn = withWaits(
    profileFromText(`
      event   cpu-clock  cpu-clock  off-cpu       off-cpu       cpu-clock
      period  1000000    1000000    4000000       500000        1000000
              main       main       main          main          main
              work       work       read          read          work
                                    [S~sleeping]  [R~runnable]
    `),
  );
  const page = pageOf(drawn, { timeNs: ms(1, 2, 2.25, 6.25, 7) });
  const result = chart(page);
  expect(draw(result)).toEqual([
    'main 0–7',
    'work 0–2, read 2.25–6.75, work 6.75–7',
    '[S~sleeping] 2.25–6.25, [R~runnable] 6.25–6.75',
  ]);
  const { boxes } = result;
  expect([...boxes.waitNs].map((ns) => ns / MS)).toEqual([4.5, 0, 4.5, 0, 4, 0.5]);
  expect(boxes.gapNs[0]).toBe(0.25 * MS);
  expect([result.sampledNs, result.waitingNs]).toEqual([2.25 * MS, 4.5 * MS]);
  expect(result.precision.hasWaits).toBe(true);
  // Choosing the waits alone shows the same.
  const waits = drawn.events.findIndex(({ name }) => name === 'off-cpu');
  expect(draw(chart(page, { event: waits }))).toEqual(draw(result));
});

test('a long time before a wait of which nothing is known ends all boxes', () => {
  const drawn = withWaits(
    profileFromText(`
      event   cpu-clock  cpu-clock  off-cpu
      period  1000000    1000000    1000000
              main       main       main
    `),
  );
  const result = chart(pageOf(drawn, { timeNs: ms(1, 2, 6) }));
  expect(draw(result)).toEqual(['main 0–2, main 6–7']);
});

test('the edits change the stacks, and samples that they leave out are gaps', () => {
  const page = pageOf(CLOCK, { timeNs: ms(1, 2, 3, 4, 5) });
  const idle = CLOCK.strings.indexOf('idle');
  const func = CLOCK.funcs.name.indexOf(idle);
  const hidden = chart(page, { edits: [{ action: 'hide', of: 'func', func }] });
  expect(draw(hidden)[0]).toBe('main 0–2, main 3–5');
  const merged = chart(page, { edits: [{ action: 'merge', of: 'func', func }] });
  expect(draw(merged)[1]).toBe('work 0–2, work 3–5');
});

test('an event that counts no time gets the time between its samples, but not a longer pause', () => {
  const drawn = profileFromText(`
    event   cycles  cycles  cycles  cycles  cycles
    period  7       9       8       3       4
            main    main    main    main    main
  `);
  const page = pageOf(drawn, { timeNs: ms(1, 2, 3, 9, 10), event: { type: 0 } });
  const result = chart(page);
  expect(draw(result)).toEqual(['main 0–3, main 8–10']);
  expect(result.precision).toEqual({ stepNs: MS, isTimed: false, hasWaits: false });
  expect(result.boxes.weight[0]).toBe(24);
});

test.each(['events', 'bytes'] as const)(
  'events at a moment that weigh %s take no time, and stand in lanes above what ran',
  (unit) => {
    const drawn = profileFromText(`
    event   cpu-clock  page-faults  cpu-clock  page-faults  cpu-clock
    period  1000000    1            1000000    1            1000000
            main       main         main       main         main
                       fault                   fault
  `);
    const events = drawn.events.map(
      (event): ProfileEvent => ({
        ...event,
        ...(event.name === 'page-faults' && { type: 1, unit }),
      }),
    );
    const page = pageOf({ ...drawn, events }, { timeNs: ms(1, 1.5, 2, 2.5, 3) });
    expect(drawLanes(chart(page).lanes)).toEqual(['page-faults: 1.5–1.5, 2.5–2.5']);
    const faults = chart(page, { event: 1 });
    expect(draw(faults)).toEqual(['main 1.5–1.5, main 2.5–2.5', 'fault 1.5–1.5, fault 2.5–2.5']);
    expect(faults.precision.stepNs).toBe(0);
    expect(describeBox({ ...faults, unit }, 0)).toContainEqual({
      term: 'weight',
      text: unit === 'bytes' ? '1 B' : '1 event',
    });
  },
);

test('garbage collection is read from stacks, and turns of the event loop are those that were timed', () => {
  const drawn = profileFromText(`
    event   cpu-clock  cpu-clock  cpu-clock                         cpu-clock
    period  1000000    1000000    1000000                           1000000
            handle     tick       v8::internal::Heap::Scavenge@node  tick
  `);
  const [{ pid, tid }] = drawn.threads;
  const stream = new TurnStream(pid, tid)
    .turn({ fromNs: 0, lengthNs: 1.5 * MS })
    .turn({ fromNs: 2 * MS, lengthNs: 7 * MS });
  const other = new TurnStream(pid, tid + 1).turn({ fromNs: 0, lengthNs: 9 * MS });
  const streams = [stream, other].map((each) => ({ pid, bytes: each.attachment() }));
  const start = { high: 0, low: 0 };
  const { turns } = decodeLoops(streams, start, drawn.threads, 0, new Diagnostics());
  const page = pageOf({ ...drawn, ...(turns && { turns }) }, { timeNs: ms(1, 2, 3, 4) });
  expect(drawLanes(chart(page).lanes)).toEqual(['GC: 2–3']);
  expect(drawLanes(lanesOf(page))).toEqual(['turns: 0–1.5, 0–9, 2–9']);
  expect(drawLanes(lanesOf(page, { threads: [0] }))).toEqual(['turns: 0–1.5, 2–9']);
  expect(drawLanes(lanesOf(page, { pid: pid + 1 }))).toEqual(['turns: ']);
  expect(drawLanes(chart(pageOf(drawn, { timeNs: ms(1, 2, 3, 4) })).lanes)).toEqual(['GC: 2–3']);

  const answers = answersOf(page);
  const slow = answers.slowTurns({ event: 0, weight: 'period', limit: 2 });
  expect(slow.map(({ fromNs, toNs, thread }) => [fromNs / MS, toNs / MS, thread])).toEqual([
    [0, 9, -1],
    [2, 9, 0],
  ]);
  expect(slow[1].did.slice(0, 2)).toEqual(['on no CPU 4.0 ms', 'tick app 2.0 ms']);
  const samplesIn = (inTurnsOver: number | null) =>
    answers.summary({ ...WHOLE, inTurnsOver }).samples;
  expect([null, 1, 2, 8].map(samplesIn)).toEqual([4, 4, 3, 0]);
});

test('marks are lanes, what is narrower than a pixel as one with its longest, and collections are those that V8 announced', () => {
  const drawn = profileFromText(`
    event   cpu-clock  cpu-clock  cpu-clock                         cpu-clock
    period  1000000    1000000    1000000                           1000000
            handle     tick       v8::internal::Heap::Scavenge@node  tick
  `);
  const [{ pid, tid }] = drawn.threads;
  const [GC, REQUEST, , MEASURE] = MARK_KINDS.keys();
  const stream = new TurnStream(pid, tid)
    .mark(REQUEST, 'GET /a', { fromNs: 0, lengthNs: 2 * MS })
    .mark(REQUEST, 'GET /b', { fromNs: MS, lengthNs: 2 * MS })
    .mark(GC, '', { fromNs: 2 * MS, lengthNs: MS / 2 }, 1)
    .mark(MEASURE, 'parse', { fromNs: 2 * MS, lengthNs: MS });
  const parts = [{ pid, bytes: stream.attachment() }];
  const start = { high: 0, low: 0 };
  const { marks } = decodeLoops(parts, start, drawn.threads, 4 * MS, new Diagnostics());
  const page = pageOf({ ...drawn, ...(marks && { marks }) }, { timeNs: ms(1, 2, 3, 4) });
  expect(chart(page).lanes).toEqual([]);
  expect(drawLanes(lanesOf(page))).toEqual(['requests: 0–2, 1–3', 'measures: 2–3', 'GC: 2–2.5']);
  const [requests] = lanesOf(page, { toNs: 100 * MS, pixels: 20 });
  expect(drawLanes([requests])).toEqual(['requests: 0–3']);
  expect([...requests.count]).toEqual([2]);
  expect(requests.longest).toEqual([{ fromNs: 0, toNs: 2 * MS, thread: 0, name: 'GET /a' }]);
});

test('lost time has a box of its own, where it was lost', () => {
  const page = pageOf(CLOCK, { timeNs: ms(1, 2, 5, 6, 7) });
  const lostStack = CLOCK.samples.stack[2];
  const lostBefore = Float64Array.of(0, 0, 2 * MS, 0, 0);
  const weights = { period: { ...page.weights.period, lostBefore } } as PageProfile['weights'];
  const profile = { ...page.profile, lostStack } as Profile;
  const result = chart({ ...page, profile, weights });
  expect(draw(result)[1]).toBe('work 0–2, idle 2–5, work 5–7');
  expect([result.sampledNs, result.lostNs]).toEqual([5 * MS, 2 * MS]);
  expect(drawLanes(result.lanes)).toEqual(['lost: 2–4']);
});
