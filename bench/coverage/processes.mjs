// The kinds of processes that the bench simulates. Each gives, for one trial, `{ functions, tasks }` as
// `sample.mjs` takes them; what is drawn at random differs from trial to trial.

import {
  asleep,
  byTheClock,
  every,
  hardware,
  limited,
  MS,
  oneTask,
  rates,
  run,
  SECOND,
} from './parts.mjs';
import { PROGRAMS } from './programs.mjs';
import { REPEATING } from './repeating.mjs';
import { SERVICES } from './services.mjs';
import { UNEVEN } from './uneven.mjs';
import { VARIOUS } from './various.mjs';
import { WORKLOADS } from './workloads.mjs';

/** Each event is drawn by itself: what functions that alternate fast look like. */
const independent =
  (perSecond, seconds, mix = [0.4, 0.3, 0.2, 0.1]) =>
  () =>
    oneTask(mix.length, seconds, function* draws() {
      for (;;) yield { mix, ...run(0, 10 * MS, perSecond) };
    });

const poisson =
  (perSecond, seconds, mix = [0.4, 0.3, 0.2, 0.1]) =>
  () =>
    oneTask(mix.length, seconds, function* draws() {
      for (;;) yield { mix, isPoisson: true, ...run(0, 10 * MS, perSecond) };
    });

/** Functions in turn, each for `ns` × 0.5 … 1.5, at rates of their own. */
const phases = (ns, rates, seconds) => (random) =>
  oneTask(rates.length, seconds, function* turns() {
    for (let turn = random.integer(rates.length); ; turn++) {
      const func = turn % rates.length;
      yield run(func, ns * random.between(0.5, 1.5), rates[func]);
    }
  });

/** Functions in any order, each for an exponential time. */
const markov = (ns, rates, seconds) => (random) =>
  oneTask(rates.length, seconds, function* turns() {
    for (;;) {
      const func = random.integer(rates.length);
      yield run(func, Math.max(100, random.exponential(ns)), rates[func]);
    }
  });

/** Bursts of work behind sleep. */
const bursts = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) {
      yield asleep(random.between(2 * MS, 30 * MS));
      yield run(random.integer(3), random.between(0.2 * MS, 4 * MS), 400_000);
    }
  });

/** Runs of heavy-tailed lengths. */
const pareto = (perSecond, seconds) => (random) =>
  oneTask(4, seconds, function* turns() {
    for (;;) {
      const events = Math.round(Math.min(perSecond / 5, random.pareto(30, 1.3)));
      yield { func: random.pick([0.4, 0.3, 0.2, 0.1]), events, ns: (events / perSecond) * SECOND };
    }
  });

/** Calls of 300 events each, drawn by weight. */
const calls = (perSecond, seconds) => (random) =>
  oneTask(4, seconds, function* turns() {
    for (;;) yield run(random.pick([0.5, 0.3, 0.15, 0.05]), (300 / perSecond) * SECOND, perSecond);
  });

/** Clusters of events with pauses: allocations, page by page, between computing. */
const clustered = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (let turn = 0; ; turn++) {
      yield { func: turn % 3, events: 20 + random.integer(60), ns: 0.05 * MS };
      yield { func: -1, events: 0, ns: random.between(0.05 * MS, 0.6 * MS) };
    }
  });

/** The rate rises tenfold while functions alternate. */
const drift = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    const turn = random.between(2 * MS, 6 * MS);
    let passed = 0;
    for (let i = 0; ; i++) {
      const rate = 30_000 * 10 ** (passed / (seconds * SECOND));
      const ns = turn * random.between(0.5, 1.5);
      passed += ns;
      yield run(i % 3, ns, rate);
    }
  });

/** Each function once, one after the other. */
const onePass = (perSecond, seconds) => (random) => {
  const cuts = [random.uniform(), random.uniform(), random.uniform()].sort();
  const parts = [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1], 1 - cuts[2]];
  return {
    functions: 4,
    tasks: [
      {
        *runs() {
          for (const [func, part] of parts.entries()) {
            if (part > 0) yield run(func, Math.max(1000, part * seconds * SECOND), perSecond);
          }
        },
      },
    ],
  };
};

/** Half a second of fast alternation, then long phases. */
const mixed = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) {
      yield { mix: [0.5, 0.3, 0.2], ...run(0, random.between(100, 200) * MS, 200_000) };
      for (let i = 0; i < 3; i++) yield run(i, random.between(20, 60) * MS, 60_000);
    }
  });

/** A short call of many events within long ones of few. */
const spikes = (seconds) => (random) =>
  oneTask(2, seconds, function* turns() {
    for (;;) {
      yield run(0, random.between(0.5, 1.5) * MS, 20_000);
      yield run(1, random.between(0.02, 0.08) * MS, 1_000_000);
    }
  });

/** Threads, each with a counter of its own and work of its own. */
const threads = (count, seconds) => (random) => ({
  functions: 3,
  tasks: Array.from({ length: count }, (_, i) => ({
    runs: limited(seconds * SECOND, function* turns() {
      for (;;) {
        const func = random.pick(i % 2 === 0 ? [0.6, 0.3, 0.1] : [0.2, 0.3, 0.5]);
        yield run(func, random.exponential(0.4 * MS) + 1000, 50_000 * (1 + (i % 3)));
      }
    }),
  })),
});

/** Children one after the other: start, work, end; `size` events each, more or less by `spread`. */
const children = (count, size, spread, inherits) => (random) => ({
  functions: 3,
  tasks: Array.from({ length: count }, (_, i) => ({
    inherits,
    startNs: i * 3 * MS + random.uniform() * MS,
    *runs() {
      const part = size * random.between(1 - spread, 1 + spread);
      for (const [func, share] of [0.17, 0.73, 0.1].entries()) {
        const events = Math.max(1, Math.round(part * share));
        yield { func, events, ns: events * 5000 };
      }
    },
  })),
});

/** A loop of a fixed number of events, parts of it in functions of their own. */
const loop = (parts, perSecond, seconds) => (random) => {
  const skipped = random.integer(parts.reduce((sum, part) => sum + part, 0));
  return oneTask(parts.length + 1, seconds, function* turns() {
    // The loop begins anywhere between two samples.
    if (skipped > 0) yield { func: parts.length, events: skipped, ns: skipped * 3000 };
    for (;;) {
      for (const [func, events] of parts.entries()) {
        yield { func, events, ns: (events / perSecond) * SECOND };
      }
    }
  });
};

/** Work by the clock: every `cycleNs` function 0 for three tenths, then function 1. */
const onTime = (cycleNs, seconds) => byTheClock(cycleNs, [0.3 * cycleNs, 0.45 * cycleNs], seconds);

/**
 * `{ name, build, samplings }`: each sampling is a scenario of its own. `isInStep`: samples may fall into
 * step with the work; then an output that says so counts as well as an interval that holds.
 */
export const KINDS = [
  {
    name: 'independent, 300k/s',
    build: independent(300_000, 1),
    samplings: [
      ...rates(100, 1000, 5000, 50_000),
      hardware(1000),
      hardware(4000),
      every(101),
      every(101, { isBuffered: true }),
    ],
  },
  { name: 'independent, 30k/s', build: independent(30_000, 1), samplings: rates(1000, 5000) },
  {
    name: 'independent, one of 1 %',
    build: independent(300_000, 1, [0.01, 0.04, 0.95]),
    samplings: rates(1000, 5000),
  },
  {
    name: 'poisson, 100k/s',
    build: poisson(100_000, 1),
    samplings: [...rates(200, 1000, 5000), hardware(4000)],
  },
  {
    name: 'phases of 1 s',
    build: phases(1000 * MS, [50_000, 300_000, 100_000], 6),
    samplings: rates(100, 1000),
  },
  {
    name: 'phases of 100 ms',
    build: phases(100 * MS, [50_000, 300_000], 2),
    samplings: [...rates(100, 1000, 5000), hardware(1000), every(101)],
  },
  {
    name: 'phases of 100 ms, one rate',
    build: phases(100 * MS, [300_000, 300_000], 1),
    samplings: rates(1000, 4000),
  },
  {
    name: 'phases of 10 ms',
    build: phases(10 * MS, [50_000, 300_000, 100_000], 1),
    samplings: [...rates(500, 1000, 4000, 20_000), hardware(4000)],
  },
  {
    name: 'phases of 3 ms',
    build: phases(3 * MS, [30_000, 300_000, 100_000], 1.5),
    samplings: [...rates(1000, 5000, 20_000), hardware(5000), every(1009)],
  },
  {
    name: 'phases of 1 ms',
    build: phases(MS, [30_000, 300_000, 100_000], 1),
    samplings: rates(1000, 5000, 20_000),
  },
  {
    name: 'any order, 2 ms',
    build: markov(2 * MS, [30_000, 300_000, 100_000], 1),
    samplings: [...rates(1000, 5000), hardware(5000)],
  },
  {
    name: 'any order, 0.2 ms',
    build: markov(0.2 * MS, [30_000, 300_000, 100_000], 1),
    samplings: rates(1000, 5000),
  },
  { name: 'bursts', build: bursts(2), samplings: rates(1000, 5000) },
  {
    name: 'heavy-tailed runs',
    build: pareto(300_000, 1),
    samplings: [...rates(1000, 5000), hardware(4000)],
  },
  { name: 'calls of 300 events', build: calls(300_000, 1), samplings: rates(1000, 4000, 20_000) },
  { name: 'clusters', build: clustered(1), samplings: rates(1000, 5000) },
  { name: 'rising rate', build: drift(1), samplings: rates(1000, 5000) },
  { name: 'each function once', build: onePass(200_000, 1), samplings: rates(200, 1000, 5000) },
  { name: 'fast, then phases', build: mixed(1.5), samplings: rates(1000, 5000) },
  { name: 'spikes', build: spikes(1), samplings: rates(1000, 5000) },
  { name: '6 threads', build: threads(6, 0.5), samplings: rates(1000, 5000) },
  { name: '200 children', build: children(200, 300, 0.3, false), samplings: rates(1000, 5000) },
  {
    name: '200 children that inherit',
    build: children(200, 300, 0.3, true),
    samplings: [...rates(5000), every(101)],
  },
  {
    name: '200 equal children that inherit',
    build: children(200, 280, 0, true),
    samplings: [every(100)],
    isInStep: true,
  },
  {
    name: '200 alike children that inherit',
    build: (random) => children(200, 200 + random.integer(200), 0, true)(random),
    samplings: [every(7)],
    isInStep: true,
  },
  { name: 'few samples: 30 ms', build: independent(200_000, 0.03), samplings: rates(1000, 4000) },
  { name: 'every event', build: poisson(100_000, 0.05), samplings: [every(1)] },
  {
    name: 'loop of 100',
    build: loop([70, 30], 300_000, 1),
    samplings: [every(100), every(101)],
    isInStep: true,
  },
  {
    name: 'loop of 300',
    build: loop([210, 90], 300_000, 1),
    samplings: [every(100)],
    isInStep: true,
  },
  {
    name: 'loop of 97',
    build: loop([67, 30], 300_000, 1),
    samplings: [every(100)],
    isInStep: true,
  },
  {
    name: 'loop of 300 at a rate',
    build: loop([210, 90], 300_000, 1),
    samplings: rates(1000, 997),
    isInStep: true,
  },
  {
    name: 'loop of 50 at a rate',
    build: loop([35, 15], 100_000, 1),
    samplings: rates(1000),
    isInStep: true,
  },
  {
    name: 'by the clock, 1 ms',
    build: onTime(MS, 1),
    samplings: rates(1000, 999, 3989),
    isInStep: true,
  },
  {
    name: 'by the clock, 2 ms',
    build: onTime(2 * MS, 1),
    samplings: rates(1000),
    isInStep: true,
  },
  {
    name: 'by the clock, 4 ms',
    build: onTime(4 * MS, 1),
    samplings: rates(250, 3989),
    isInStep: true,
  },
  ...UNEVEN,
  ...VARIOUS,
  ...PROGRAMS,
  ...WORKLOADS,
  ...REPEATING,
  ...SERVICES,
];
