// Work that comes again about once a sample, which looks like phases of many samples, and what it is not to be taken for: phases of one
// rate, and functions that take turns at nearly every sample. Written on 30 November 2026 to mend what that work does to intervals.

import { asleep, each, limited, MS, oneTask, rates, run, SECOND } from './parts.mjs';

const GAP_NS = 3000;

/** `cycleNs` of work, more or less by a tenth from trial to trial, in parts; each part is longer or shorter by `spread`. */
const again = (cycleNs, spread, seconds) => (random) => {
  const events = (cycleNs / GAP_NS) * random.between(0.9, 1.1);
  return oneTask(3, seconds, function* turns() {
    for (;;) {
      for (const [func, part] of [0.55, 0.3, 0.15].entries()) {
        const size = Math.round(events * part * random.between(1 - spread, 1 + spread));
        yield each(func, size, [2400, 3300, 4600][func]);
      }
    }
  });
};

/** Threads that take batches of one size from a queue, and answer each; they wait for `waitNs` now and then. */
const batches = (threads, cycleNs, waitNs, seconds) => (random) => {
  const events = (cycleNs / GAP_NS) * random.between(0.85, 1.15);
  const size = Math.round(events * 0.75);
  return {
    functions: 3,
    tasks: Array.from({ length: threads }, () => ({
      runs: limited(seconds * SECOND, function* works() {
        for (;;) {
          yield each(0, size, 2700);
          yield each(1, Math.round(events * random.between(0.05, 0.25)), 3600);
          yield each(2, Math.round(events * 0.1), 2900);
          if (random.uniform() < 0.3) yield asleep(random.exponential(waitNs));
        }
      }),
    })),
  };
};

/** Functions in turn, each for `ns` more or less by `spread`, all at one rate. */
const ofOneRate = (ns, spread, seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (let turn = random.integer(3); ; turn++) {
      yield run(turn % 3, ns * random.between(1 - spread, 1 + spread), 330_000);
    }
  });

/** In any order, for exponential times, all at one rate. */
const drawnOfOneRate = (ns, seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) yield run(random.pick([0.5, 0.3, 0.2]), random.exponential(ns) + 1000, 330_000);
  });

/** Two functions in turn, each for a time like that between two samples, whatever it is. */
const takingTurns = (ns, seconds) => (random) =>
  oneTask(2, seconds, function* turns() {
    for (;;) {
      yield run(0, ns * random.between(0.5, 1.5), 240_000);
      yield run(1, ns * random.between(0.5, 1.5), 160_000);
    }
  });

/** Rows of a table, each longer than the one before by `step`, from the first to the last and again: quick turns, then slow ones. */
const growing = (step, rows, seconds) => (random) =>
  oneTask(2, seconds, function* tables() {
    for (;;) {
      for (let row = 1; row <= rows; row++) {
        yield each(0, row * step + random.integer(step), GAP_NS);
        yield each(1, Math.round(row * step * 0.4) + random.integer(step), GAP_NS);
      }
    }
  });

/** Starts with calls of any length in four functions, then works in phases. */
const startsUp = (ns, seconds) => (random) =>
  oneTask(3, seconds, function* program() {
    for (let calls = 0; calls < 60; calls++) {
      yield each(random.integer(3), 20 + random.integer(160), GAP_NS);
    }
    for (let turn = 0; ; turn++) yield run(turn % 2, ns * random.between(0.5, 1.5), 330_000);
  });

/** As `KINDS` in `processes.mjs`. */
export const REPEATING = [
  {
    name: 'again each ms, ± 3 %',
    build: again(MS, 0.03, 1),
    samplings: rates(997),
    isInStep: true,
  },
  {
    name: 'again each ms, ± 10 %',
    build: again(MS, 0.1, 1),
    samplings: rates(997),
    isInStep: true,
  },
  {
    name: 'again each ms, ± 30 %',
    build: again(MS, 0.3, 1),
    samplings: rates(997),
    isInStep: true,
  },
  {
    name: 'again each 0.25 ms, ± 10 %',
    build: again(0.25 * MS, 0.1, 1),
    samplings: rates(3989),
    isInStep: true,
  },
  {
    name: 'again each 2 ms, ± 10 %',
    build: again(2 * MS, 0.1, 1),
    samplings: rates(997),
    isInStep: true,
  },
  {
    name: 'batches of 1 ms, 4 threads',
    build: batches(4, MS, 0.01 * MS, 0.6),
    samplings: rates(997),
  },
  {
    name: 'batches of 1 ms, waiting',
    build: batches(3, MS, 0.3 * MS, 0.8),
    samplings: rates(997, 3989),
  },
  {
    name: 'phases of 8 ms, one rate',
    build: ofOneRate(8 * MS, 0.5, 1.5),
    samplings: rates(997, 3989),
  },
  {
    name: 'equal phases of 8 ms, one rate',
    build: ofOneRate(8 * MS, 0.05, 1.5),
    samplings: rates(997),
  },
  {
    name: 'any order, 4 ms, one rate',
    build: drawnOfOneRate(4 * MS, 1.5),
    samplings: rates(997, 3989),
  },
  { name: 'any order, 1 ms, one rate', build: drawnOfOneRate(MS, 1), samplings: rates(997, 3989) },
  { name: 'turns of 0.25 ms', build: takingTurns(0.25 * MS, 1), samplings: rates(3989, 997) },
  { name: 'turns of 1 ms', build: takingTurns(MS, 1), samplings: rates(997, 3989) },
  { name: 'rows that grow', build: growing(12, 160, 1), samplings: rates(997, 3989) },
  { name: 'rows that grow slowly', build: growing(4, 400, 1), samplings: rates(997, 3989) },
  { name: 'start, then phases of 4 ms', build: startsUp(4 * MS, 1), samplings: rates(997, 3989) },
];
