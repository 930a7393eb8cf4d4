// Kinds of processes whose work is uneven: rates that change at the same places of it again and again, calls
// about as long as an interval, timers that are late, children. Borders between functions are then not
// equally likely anywhere in an interval.

import {
  asleep,
  byTheClock,
  each,
  every,
  limited,
  MS,
  oneTask,
  pebs,
  rates,
  run,
  SECOND,
} from './parts.mjs';

/** The rate rises fiftyfold within each `cycleNs`, and three functions have fixed parts of that time. */
const saw = (cycleNs, seconds) => (random) =>
  oneTask(3, seconds, function* cycles() {
    const steps = 60;
    let step = random.integer(steps);
    for (;;) {
      for (; step < steps; step++) {
        const part = step / steps;
        const func = part < 0.35 ? 0 : part < 0.75 ? 1 : 2;
        yield run(func, cycleNs / steps, 10_000 * 50 ** part);
      }
      step = 0;
    }
  });

/** A even, then a burst of B, then computing without events. */
const burstThenComputing = (seconds) => (random) =>
  oneTask(2, seconds, function* turns() {
    for (;;) {
      yield each(0, 100 + random.integer(240), 15_000);
      yield each(1, 150 + random.integer(300), 1200);
      yield asleep(random.between(1.5 * MS, 4.5 * MS));
    }
  });

/** Events only at the start of calls that last 1 to 4 ms. */
const atStart = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (let turn = 0; ; turn++) {
      const func = turn % 3;
      yield each(func, 60 + random.integer([40, 200, 80][func]), 800);
      yield asleep(random.between(1, 2) * MS * [1, 2, 1.5][func]);
    }
  });

const slowPath = (seconds) => (random) =>
  oneTask(2, seconds, function* calls() {
    for (;;) {
      if (random.uniform() < 0.02) yield each(1, 50 + random.integer(50), 25_000);
      else yield each(0, 20 + random.integer(40), 1500);
    }
  });

/** Calls of about `size` events: some at the start, most in the middle, some at the end. */
const callsAbout = (seconds) => (random) =>
  oneTask(3, seconds, function* calls() {
    for (;;) {
      yield each(0, 3, 3000);
      yield each(1, 50 + random.integer(21), 3000);
      yield each(2, 7, 3000);
    }
  });

/** A timer of `cycleNs` wakes the task up to `lateNs` late; all of the work lasts `workNs`. */
const byTimer = (cycleNs, lateNs, workNs, seconds) =>
  byTheClock(cycleNs, [0.4 * workNs, 0.6 * workNs], seconds, (random) => random.uniform() * lateNs);

/** A timer of `cycleNs`, at which there is work of any size, for a third of that time or so. */
const jobsByTimer = (cycleNs, seconds) => (random) =>
  oneTask(2, seconds, function* cycles() {
    const events = cycleNs / 20_000;
    for (let cycle = 1; ; cycle++) {
      yield each(0, Math.round(events * random.between(0.4, 4)), 2500);
      yield each(1, Math.round(events * random.between(0.2, 2.5)), 3000);
      yield { untilNs: cycle * cycleNs + random.exponential(0.02 * MS), ns: cycleNs };
    }
  });

/**
 * Children that begin and end with the same few events each, with work of heavy-tailed length between; their parent
 * makes some for each fork.
 */
const fork = (count, head, tail) => (random) => ({
  functions: 4,
  tasks: [
    {
      *runs() {
        for (let i = 0; i < count; i++) {
          yield each(3, 8 + random.integer(8), 2000);
          yield { untilNs: (i + 1) * 3 * MS, ns: 0 };
        }
      },
    },
    ...Array.from({ length: count }, (_, i) => ({
      inherits: true,
      startNs: i * 3 * MS + random.between(0.1, 1) * MS,
      *runs() {
        yield each(0, head, 2500);
        yield each(1, Math.round(Math.min(4000, random.pareto(40, 1 / 0.6))), 4000);
        yield each(2, tail, 2500);
      },
    })),
  ],
});

const producerConsumer = (seconds) => (random) => ({
  functions: 3,
  tasks: [
    limited(seconds * SECOND, function* produce() {
      for (;;) {
        yield each(0, 5 + random.integer(80), 4000);
        yield asleep(random.exponential(0.3 * MS));
      }
    }),
    limited(seconds * SECOND, function* consume() {
      for (;;) {
        yield each(1, Math.round(5 + random.exponential(120)), 2500);
        if (random.uniform() < 0.1) yield each(2, 50, 9000);
        yield asleep(random.exponential(0.2 * MS));
      }
    }),
  ].map((runs) => ({ runs })),
});

const zipf = (count, seconds) => (random) => {
  const ranks = Array.from({ length: count }, (_, i) => 1 / (i + 1));
  const all = ranks.reduce((sum, rank) => sum + rank, 0);
  const parts = ranks.map((rank) => rank / all);
  return oneTask(count, seconds, function* calls() {
    for (;;) yield each(random.pick(parts), Math.round(1 + random.exponential(40)), 4000);
  });
};

const eventLoopOfCallbacks = (seconds) => (random) =>
  oneTask(5, seconds, function* turns() {
    for (;;) {
      for (let ready = 1 + random.integer(6); ready > 0; ready--) {
        const events = Math.round(Math.exp(3.5 + 0.9 * random.normal())) + 1;
        yield each(random.pick([0.4, 0.25, 0.2, 0.1, 0.05]), events, 2500);
      }
      yield asleep(random.exponential(1.2 * MS));
    }
  });

const interrupted = (seconds) => (random) =>
  oneTask(2, seconds, function* turns() {
    for (;;) {
      yield run(0, random.exponential(MS) + 1000, 80_000);
      yield each(1, 20, 900);
    }
  });

/** As `KINDS` in `processes.mjs`. */
export const UNEVEN = [
  { name: 'saw of 30 ms', build: saw(30 * MS, 1), samplings: rates(997, 3989) },
  {
    name: 'burst, then computing',
    build: burstThenComputing(1),
    samplings: [...rates(997, 3989, 9973), pebs(3989)],
  },
  { name: 'events at the start of calls', build: atStart(1), samplings: rates(997, 3989, 19_997) },
  { name: 'rare slow path', build: slowPath(1), samplings: [...rates(997, 3989), pebs(997)] },
  { name: 'calls of 60 to 80 events', build: callsAbout(1), samplings: [every(61), every(64)] },
  {
    name: 'timer of 1 ms, up to 0.1 late',
    build: byTimer(MS, 0.1 * MS, 0.6 * MS, 1),
    samplings: rates(997, 1000, 3989),
    isInStep: true,
  },
  {
    name: '250 µs of work each ms',
    build: byTimer(MS, 0, 0.25 * MS, 1),
    samplings: rates(997, 3989),
    isInStep: true,
  },
  { name: 'jobs by a timer of 1 ms', build: jobsByTimer(MS, 1), samplings: rates(997, 3989) },
  { name: 'jobs by a timer of 4 ms', build: jobsByTimer(4 * MS, 1.5), samplings: rates(997, 3989) },
  {
    name: '400 children of heavy-tailed size',
    build: fork(400, 40, 15),
    samplings: [every(7), every(13), every(37), every(53), every(71), ...rates(3989)],
  },
  { name: 'producer and consumer', build: producerConsumer(1), samplings: rates(997, 3989) },
  { name: 'zipf of 40', build: zipf(40, 1), samplings: [...rates(997, 3989), every(101)] },
  { name: 'callbacks', build: eventLoopOfCallbacks(1), samplings: rates(997, 3989) },
  { name: 'interrupted', build: interrupted(1), samplings: [...rates(997, 3989), every(31)] },
];
