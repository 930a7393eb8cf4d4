// Kinds of processes as programs are: collectors, queues, caches, pools. They were kept apart until 30 November 2026, 09:50 UTC
// (`kept-apart.mjs`); two builds were run on them in between, and results seen.

import { asleep, each, every, limited, MS, oneTask, rates, run, SECOND } from './parts.mjs';

/** A heap that is collected when it is full: young parts often, all of it now and then, and what survives grows. */
const generations = (seconds) => (random) =>
  oneTask(4, seconds, function* turns() {
    for (let survived = 40; ; ) {
      for (let free = 900 + random.integer(500); free > 0; ) {
        const allocated = 15 + random.integer(60);
        yield each(0, allocated, 2600);
        yield each(1, 5 + random.integer(25), 3900);
        free -= allocated;
      }
      yield each(2, survived + random.integer(60), 1100);
      survived += random.integer(30);
      if (survived < 420) continue;
      yield each(3, 2200 + random.integer(900), 850);
      survived = 30 + random.integer(50);
    }
  });

/** Requests whose sizes have no variance to speak of: nine in ten are small, some take a hundred times as long. */
const heavyRequests = (seconds) => (random) =>
  oneTask(4, seconds, function* requests() {
    for (;;) {
      yield each(0, 12 + random.integer(14), 2800);
      const size = Math.round(Math.min(30_000, random.pareto(18, 1.05)));
      yield each(1 + random.pick([0.65, 0.35]), size, 1900);
      yield each(3, 8 + random.integer(6), 5200);
      if (random.uniform() < 0.4) yield asleep(random.exponential(0.6 * MS));
    }
  });

/** A day of a server in two seconds: by night a request at times, by noon all at once, and a report in between. */
const dayCurve = (seconds) => (random) =>
  oneTask(4, seconds, function* day() {
    let passed = 0;
    const dayNs = seconds * SECOND;
    for (;;) {
      const load = Math.sin((Math.PI * passed) / dayNs) ** 2;
      const parts = [
        each(0, 30 + random.integer(50), 3000),
        each(1, 20 + random.integer(90), 2200),
      ];
      parts.push(asleep(random.exponential(MS * (2.2 - 2.1 * load))));
      if (random.uniform() < 0.004) parts.push(each(2, 4000 + random.integer(4000), 1500));
      if (load > 0.8) parts.push(each(3, 25 + random.integer(50), 2700));
      for (const part of parts) {
        passed += part.ns;
        yield part;
      }
    }
  });

/** Two threads that hand work to each other; each counts for itself, and what one has done the other takes up. */
const handedOver = (steps) => (random) => {
  const sizes = Array.from({ length: steps }, () => Math.round(40 + random.exponential(160)));
  const begin = [0];
  for (const size of sizes) begin.push(begin[begin.length - 1] + size * 2500 * 1.25 + 0.05 * MS);
  return {
    functions: 4,
    tasks: [0, 1].map((side) => ({
      *runs() {
        for (const [step, size] of sizes.entries()) {
          if (step % 2 !== side) continue;
          yield { untilNs: begin[step], ns: 0 };
          yield each(2 * side, Math.max(1, Math.round(0.3 * size)), 2500);
          yield each(2 * side + 1, Math.max(1, Math.round(0.7 * size)), 2500);
        }
      },
    })),
  };
};

/** A cache that warms up: each pass over the same data has fewer misses than the one before, down to a rest. */
const cacheWarming = (seconds) => (random) =>
  oneTask(3, seconds, function* passes() {
    for (let misses = 500; ; misses = Math.max(25, misses * 0.93)) {
      yield each(0, Math.round(misses * random.between(0.9, 1.1)), 2200);
      yield each(1, Math.round((60 + misses / 4) * random.between(0.8, 1.2)), 5400);
      yield each(2, 18 + random.integer(12), 9000);
    }
  });

function* visited(random, depth) {
  yield each(0, 2 + random.integer(6), 2300);
  const children = depth === 0 ? 0 : random.pick([0.15, 0.3, 0.3, 0.25]);
  for (let child = 0; child < children; child++) yield* visited(random, depth - 1);
  if (children === 0) yield each(1, 4 + random.integer(40), 3100);
  else yield each(2, 1 + 3 * children + random.integer(4), 2700);
}

/** Trees of any shape are walked down and up again. */
const treeWalk = (seconds) => (random) =>
  oneTask(3, seconds, function* trees() {
    for (;;) yield* visited(random, 5 + random.integer(6));
  });

/** A timer whose clock runs away by a part in a thousand, with work of nearly one size. */
const driftingTimer = (cycleNs, seconds) => (random) => {
  const own = cycleNs * (1 + 0.001 * random.between(1, 3));
  return oneTask(3, seconds, function* cycles() {
    for (let cycle = 1; ; cycle++) {
      yield each(0, 90 + random.integer(16), 3200);
      yield each(1, 150 + random.integer(26), 2500);
      if (cycle % 7 === 0) yield each(2, 60, 4100);
      yield { untilNs: cycle * own + random.exponential(0.01 * MS), ns: own };
    }
  });
};

/** Rows of a triangle: each is one longer than the one before, then again from the first. */
const triangle = (seconds) => (random) =>
  oneTask(3, seconds, function* matrices() {
    for (;;) {
      const rows = 120 + random.integer(80);
      for (let row = 1; row <= rows; row++) {
        yield each(0, 3 + Math.round(row * 1.5), 1700);
        yield each(1, 9, 4300);
      }
      yield each(2, 700 + random.integer(500), 2400);
    }
  });

/** A queue of bounded length between two makers and three takers. */
const boundedQueue = (seconds) => (random) => ({
  functions: 4,
  tasks: [0, 0, 1, 1, 1].map((side, index) => ({
    runs: limited(seconds * SECOND, function* works() {
      for (let batch = 0; ; batch++) {
        yield each(side, 20 + random.integer(side === 0 ? 30 : 140), side === 0 ? 5200 : 2100);
        if (side === 1 && random.uniform() < 0.25) yield each(2, 15 + random.integer(20), 6000);
        if (batch % 16 === index) yield each(3, 40 + random.integer(30), 1500);
        yield asleep(random.exponential(side === 0 ? 0.12 * MS : 0.4 * MS));
      }
    }),
  })),
});

/** Functions are interpreted, then compiled, then optimised; now and then one falls back. */
const tiers = (seconds) => (random) =>
  oneTask(4, seconds, function* turns() {
    const calls = [0, 0, 0, 0, 0, 0];
    for (;;) {
      const own = random.pick([0.4, 0.25, 0.15, 0.1, 0.06, 0.04]);
      calls[own]++;
      const tier = calls[own] < 60 ? 0 : calls[own] < 900 ? 1 : 2;
      yield each(
        tier,
        Math.round((30 + random.integer(40)) / [1, 2, 4][tier]),
        [4200, 2600, 1900][tier],
      );
      if (calls[own] === 60 || calls[own] === 900) yield each(3, 900 + random.integer(1500), 2300);
      if (random.uniform() < 0.001) calls[own] = 0;
    }
  });

/** Lines of a log are matched: most fail at the first letter, some go back and forth for long. */
const matching = (seconds) => (random) =>
  oneTask(3, seconds, function* lines() {
    for (;;) {
      for (let line = 20 + random.integer(60); line > 0; line--)
        yield each(0, 1 + random.integer(3), 2000);
      yield each(1, Math.round(Math.exp(3 + 1.3 * random.normal())) + 2, 1400);
      if (random.uniform() < 0.15) yield each(2, 90 + random.integer(40), 3300);
    }
  });

/** A picture in bands: each is scaled, filtered and packed; what packing takes depends on the band. */
const bands = (seconds) => (random) =>
  oneTask(4, seconds, function* pictures() {
    for (;;) {
      const detail = random.between(0.3, 1);
      yield each(3, 150 + random.integer(100), 5000);
      for (let band = 0; band < 24; band++) {
        yield each(0, 128, 2100);
        yield each(1, 256, 1600);
        yield each(2, Math.round(40 + 300 * detail * random.between(0.5, 1.5)), 2900);
      }
    }
  });

/** Numerical work until it converges: the number of sweeps differs, each sweep is the same. */
const sweeps = (seconds) => (random) =>
  oneTask(4, seconds, function* problems() {
    for (;;) {
      yield each(0, 300 + random.integer(900), 3500);
      for (let sweep = 8 + random.integer(60); sweep > 0; sweep--) {
        yield each(1, 196, 2400);
        yield each(2, 49, 3800);
      }
      yield each(3, 80 + random.integer(80), 6000);
    }
  });

/** Retries with waits that double, then all that was held back at once. */
const backOff = (seconds) => (random) =>
  oneTask(3, seconds, function* rounds() {
    for (;;) {
      let held = 0;
      for (let waitMs = 0.1; random.uniform() < 0.72 && waitMs < 30; waitMs *= 2) {
        yield each(0, 25 + random.integer(15), 3000);
        yield asleep(waitMs * MS * random.between(0.8, 1.2));
        held += waitMs * 40;
      }
      yield each(1, 30 + Math.round(held * random.between(0.7, 1.3)), 1300);
      yield each(2, 20 + random.integer(50), 4500);
    }
  });

/** Workers of a pool that live as long as the program, fed by one thread in batches of equal size. */
const pool = (seconds) => (random) => ({
  functions: 3,
  tasks: Array.from({ length: 4 }, (_, index) => ({
    startNs: index * 0.4 * MS,
    runs: limited(seconds * SECOND, function* batches() {
      for (;;) {
        yield each(0, 240, 2300 + 100 * index);
        yield each(1, 30 + random.integer(60), 5100);
        if (random.uniform() < 0.08) yield run(2, random.between(0.5, 1.5) * MS, 300_000);
        yield asleep(random.exponential(0.2 * MS));
      }
    }),
  })),
});

/** As `KINDS` in `processes.mjs`. */
export const WORKLOADS = [
  { name: 'generations', build: generations(1.2), samplings: [...rates(997, 3989), every(83)] },
  { name: 'heavy-tailed requests', build: heavyRequests(1.5), samplings: rates(997, 3989) },
  { name: 'a day in two seconds', build: dayCurve(2), samplings: rates(997, 3989) },
  { name: 'handed over', build: handedOver(1500), samplings: [...rates(997, 3989), every(59)] },
  { name: 'cache that warms up', build: cacheWarming(1.2), samplings: rates(997, 3989) },
  { name: 'walk of trees', build: treeWalk(1), samplings: [...rates(997, 3989), every(47)] },
  {
    name: 'drifting timer of 2 ms',
    build: driftingTimer(2 * MS, 1.2),
    samplings: rates(997, 3989),
    isInStep: true,
  },
  { name: 'triangle', build: triangle(1), samplings: [...rates(997, 3989), every(127)] },
  { name: 'bounded queue', build: boundedQueue(0.8), samplings: rates(997, 3989) },
  { name: 'tiers', build: tiers(1), samplings: [...rates(997, 3989), every(37)] },
  { name: 'matching', build: matching(1), samplings: rates(997, 3989) },
  { name: 'bands of a picture', build: bands(1), samplings: [...rates(997, 3989), every(109)] },
  { name: 'sweeps', build: sweeps(1), samplings: [...rates(997, 3989), every(61)] },
  { name: 'back-off', build: backOff(2), samplings: rates(997, 3989) },
  { name: 'pool of four', build: pool(0.8), samplings: rates(997, 3989) },
];
