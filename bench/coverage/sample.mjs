// Takes the samples of a simulated process, event by event as far as that matters.
//
// A process is a list of tasks; a task is what `runs` generates, in turn:
//
//     { func: 2, events: 500, ns: 3e6 }     500 events of function 2, evenly spread over 3 ms
//     { func: 2, events: 500, ns: 3e6, isPoisson: true }     the same at random times
//     { mix: [.4, .6], events: 500, ns: 3e6 }     each event drawn: of function 0 with chance .4
//     { func: -1, events: 0, ns: 3e6 }     3 ms asleep: no tick meets the task
//     { untilNs: 8e6 }     asleep until this time

import { createCounter, TICK_NS } from './kernel.mjs';

/** The first samples cost more, the others 2 µs each: the program makes no events in that time. */
const costOfSample = (index) => 2000 + 20_000 * 2 ** -Math.min(index, 40);

/** Records of a PEBS buffer, which the CPU fills by itself: all are read, and paid for, when it is full. */
const RECORDS_OF_BUFFER = 64;

/**
 * Samples of all tasks, and the truth: `{ samples: [{ timeNs, func, period, count, task }], truth:
 * events by function, finals: count by task }`.
 *
 * `startNs` of a task is when it begins, `inherits` whether its counter begins with the period that
 * the first task's has at that time. `isBuffered`: a fixed period whose records the CPU collects (large PEBS). Events
 * that a paused counter does not count are no part of the truth, as the ledger tells them apart.
 */
export function sampleProcess({ tasks, functions }, sampling, random) {
  const { rule, frequencyHz, period, isBuffered = false } = sampling;
  const truth = new Float64Array(functions);
  const samples = [];
  const finals = [];
  const tickPhase = random.uniform() * TICK_NS;
  let first = null;
  tasks.forEach((task, index) => {
    const counter = createCounter({
      rule,
      frequencyHz,
      period: rule === 'fixed' ? period : task.inherits ? inheritedAt(task.startNs ?? 0, first) : 1,
      random,
    });
    const taken = sampleTask(task, counter, tickPhase, truth, random, isBuffered);
    for (const sample of taken.samples) samples.push({ ...sample, task: index });
    finals.push(taken.counted);
    first ??= taken.periods;
  });
  samples.sort((a, b) => a.timeNs - b.timeNs);
  return { samples, truth, finals };
}

/** The first task's period at a time; a task that is the first itself begins with 1. */
function inheritedAt(timeNs, periods) {
  return periods?.findLast((each) => each.timeNs <= timeNs)?.period ?? periods?.at(0)?.period ?? 1;
}

function sampleTask({ runs, startNs = 0 }, counter, tickPhase, truth, random, isBuffered) {
  const state = {
    isBuffered,
    now: startNs,
    counted: 0,
    nextTick: startNs + TICK_NS - ((startNs - tickPhase + TICK_NS) % TICK_NS),
  };
  const samples = [];
  const periods = [];
  for (const run of runs(random)) {
    if (run.untilNs !== undefined || run.events === 0) sleep(state, run, counter);
    else if (run.isPoisson) eachEvent(state, run, counter, samples, truth, random);
    else inJumps(state, run, counter, samples, truth, random);
    periods.push({ timeNs: state.now, period: counter.samplePeriod() });
  }
  return { samples, counted: state.counted, periods };
}

function sleep(state, { untilNs, ns }, counter) {
  const end = untilNs === undefined ? state.now + ns : Math.max(state.now, untilNs);
  if (end > state.now) counter.atWakeup();
  state.now = end;
  while (state.nextTick < state.now) state.nextTick += TICK_NS;
}

/** From one overflow or tick to the next. */
function inJumps(state, run, counter, samples, truth, random) {
  const step = run.ns / run.events;
  let left = run.events;
  let unseen = 0;
  while (left > 0) {
    const isPaused = counter.isPaused();
    // Behind what it should be where an interrupt is late and the events have become rarer.
    const toOverflow = isPaused
      ? Number.POSITIVE_INFINITY
      : Math.max(0, counter.interruptAt(step) - state.counted);
    const toTick = Math.max(0, Math.floor((state.nextTick - state.now) / step));
    const events = Math.min(left, toOverflow, toTick);
    state.now += events * step;
    left -= events;
    if (!isPaused) state.counted += events;
    const isSampled = events === toOverflow;
    if (!isPaused) unseen += isSampled && events > 0 ? events - 1 : events;
    if (isSampled) {
      const func = run.mix === undefined ? run.func : random.pick(run.mix);
      if (events > 0) truth[func]++;
      take(state, func, counter, samples);
    } else if (left > 0) {
      // The event is made behind the tick.
      counter.atTick(state.counted);
      state.nextTick += TICK_NS;
    }
    while (state.nextTick < state.now) {
      counter.atTick(state.counted);
      state.nextTick += TICK_NS;
    }
  }
  if (run.mix === undefined) truth[run.func] += unseen;
  else addDrawn(run.mix, unseen, truth, random);
}

/** Adds events without a sample to the truth, each drawn by itself. */
function addDrawn(mix, events, truth, random) {
  let left = events;
  let rest = 1;
  mix.forEach((part, func) => {
    const chance = Math.min(1, part / rest);
    const drawn = func === mix.length - 1 ? left : binomial(left, chance, random);
    truth[func] += drawn;
    left -= drawn;
    rest -= part;
  });
}

function binomial(count, chance, random) {
  if (count < 50) {
    let drawn = 0;
    for (let i = 0; i < count; i++) if (random.uniform() < chance) drawn++;
    return drawn;
  }
  const value = count * chance + random.normal() * Math.sqrt(count * chance * (1 - chance));
  return Math.min(count, Math.max(0, Math.round(value)));
}

/** At random times, one after the other. */
function eachEvent(state, run, counter, samples, truth, random) {
  const mean = run.ns / run.events;
  const end = state.now + run.ns;
  for (;;) {
    const next = state.now + random.exponential(mean);
    while (state.nextTick < Math.min(next, end)) {
      counter.atTick(state.counted);
      state.nextTick += TICK_NS;
    }
    if (next >= end) break;
    state.now = next;
    if (counter.isPaused()) continue;
    state.counted++;
    const func = run.mix === undefined ? run.func : random.pick(run.mix);
    truth[func]++;
    if (state.counted >= counter.interruptAt(mean)) take(state, func, counter, samples);
  }
  state.now = Math.max(state.now, end);
}

function take(state, func, counter, samples) {
  const timeNs = Math.round(state.now);
  const reported = counter.atOverflow(state.counted, timeNs);
  samples.push({ timeNs, func, period: reported, count: state.counted });
  if (!state.isBuffered) state.now += costOfSample(samples.length - 1);
  else if (samples.length % RECORDS_OF_BUFFER === 0) state.now += RECORDS_OF_BUFFER * 500;
}
