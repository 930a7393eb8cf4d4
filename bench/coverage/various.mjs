// Kinds of processes as programs are: servers, compilers, collectors, jobs, children. They were kept apart until
// 29 November 2026 (`kept-apart.mjs`), so that nothing before that day was chosen by them.

import { asleep, each, every, limited, MS, oneTask, rates, run, SECOND } from './parts.mjs';

const requestServer = (seconds) => (random) =>
  oneTask(5, seconds, function* requests() {
    for (;;) {
      yield asleep(random.exponential(0.8 * MS));
      yield each(0, 30 + random.integer(40), 2500);
      const handler = 1 + random.pick([0.6, 0.3, 0.1]);
      yield each(
        handler,
        Math.round(20 + random.exponential(150)),
        [1500, 4000, 9000][handler - 1],
      );
      yield each(4, 10 + random.integer(20), 3000);
    }
  });

function* divided(random, depth, size) {
  if (size < 8 || depth > 12) {
    yield each(0, Math.max(1, size), 3000);
    return;
  }
  const left = Math.round(size * random.between(0.2, 0.8));
  yield each(1, 1 + Math.floor(size / 12), 2000);
  yield* divided(random, depth + 1, left);
  yield* divided(random, depth + 1, size - left);
  if (depth < 6) yield each(2, 1 + Math.floor(size / 20), 15_000);
}

const recursion = (seconds) => (random) =>
  oneTask(3, seconds, function* calls() {
    for (;;) yield* divided(random, 0, 200 + random.integer(3000));
  });

const pages = (seconds) => (random) =>
  oneTask(3, seconds, function* calls() {
    for (;;) {
      const func = random.pick([0.5, 0.3, 0.2]);
      yield each(func, Math.round(2 ** random.between(0, 9)), [800, 2000, 5000][func]);
      yield asleep(random.between(0.05 * MS, 0.5 * MS));
    }
  });

const lockFight = (seconds) => (random) => ({
  functions: 3,
  tasks: [0, 2].map((func) => ({
    runs: limited(seconds * SECOND, function* fight() {
      for (;;) {
        yield asleep(random.between(0, 0.4 * MS));
        yield each(func, 20 + random.integer(200), 3000);
        yield each(1, 10 + random.integer(60), 8000);
      }
    }),
  })),
});

const slowing = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    let passed = 0;
    for (let i = 0; ; i++) {
      const perSecond = (400_000 * 0.01 ** (passed / (seconds * SECOND))) / (i % 3 === 0 ? 1 : 2);
      const ns = 4 * MS * random.between(0.5, 1.5);
      passed += ns;
      yield run(i % 3, ns, perSecond);
    }
  });

const warmUp = (seconds) => (random) =>
  oneTask(3, seconds, function* calls() {
    let passed = 0;
    for (;;) {
      const isCompiled = random.uniform() < Math.min(0.98, passed / (0.4 * seconds * SECOND));
      const called = isCompiled
        ? each(1, 50 + random.integer(100), 1500)
        : each(0, 100 + random.integer(300), 5000);
      const between = each(2, 20 + random.integer(20), 3000);
      passed += called.ns + between.ns;
      yield called;
      yield between;
    }
  });

const collector = (seconds) => (random) =>
  oneTask(4, seconds, function* turns() {
    for (;;) {
      yield { mix: [0.5, 0.3, 0.2, 0], ...run(0, random.between(20 * MS, 60 * MS), 60_000) };
      yield run(3, random.between(2 * MS, 6 * MS), 600_000);
    }
  });

const blocks = (seconds) => (random) =>
  oneTask(3, seconds, function* loops() {
    for (;;) {
      for (let block = 0; block < 37; block++) {
        yield each(0, Math.round(1000 * random.between(0.99, 1.01)), 2000);
        yield each(1, Math.round(100 * random.between(0.99, 1.01)), 7000);
      }
      yield each(2, Math.round(5000 * random.between(0.99, 1.01)), 3000);
    }
  });

const compiler = (seconds) => (random) =>
  oneTask(4, seconds, function* passes() {
    const lengths = [0.25, 0.35, 0.25].map((part) => part * seconds * random.between(0.7, 1.3));
    for (const [func, length] of lengths.entries()) {
      for (let passed = 0; passed < length * SECOND; ) {
        const own = each(func, 30 + random.integer(200), [2000, 6000, 3000][func]);
        const allocating = each(3, 5 + random.integer(40), 1000);
        passed += own.ns + allocating.ns;
        yield own;
        yield allocating;
      }
    }
  });

const twoRates = (seconds) => (random) =>
  oneTask(2, seconds, function* turns() {
    for (;;) {
      yield run(0, random.exponential(MS) + 1000, random.uniform() < 0.5 ? 20_000 : 400_000);
      if (random.uniform() < 0.5) yield run(1, random.exponential(MS) + 1000, 120_000);
    }
  });

const manyRare = (seconds) => (random) => {
  const parts = Array.from({ length: 10 }, (_, i) => 0.6 ** i);
  const all = parts.reduce((sum, part) => sum + part, 0);
  return oneTask(10, seconds, function* calls() {
    for (;;) {
      yield each(random.pick(parts.map((part) => part / all)), 20 + random.integer(180), 5000);
    }
  });
};

const lateTimer = (cycleNs, lateNs, seconds) => (random) =>
  oneTask(3, seconds, function* cycles() {
    for (let cycle = 1; ; cycle++) {
      yield each(0, 50 + random.integer(250), 4000);
      if (random.uniform() < 0.3) yield each(1, 200 + random.integer(400), 2000);
      yield each(2, 30 + random.integer(60), 8000);
      yield { untilNs: cycle * cycleNs + random.uniform() * lateNs, ns: cycleNs };
    }
  });

const jobs = (count) => (random) => ({
  functions: 4,
  tasks: Array.from({ length: count }, () => ({
    startNs: random.uniform() * 500 * MS,
    *runs() {
      for (const [func, ns] of [20 * MS, 60 * MS, 90 * MS, 10 * MS].entries()) {
        yield run(func, random.exponential(ns) + 1000, [200_000, 50_000, 120_000, 20_000][func]);
      }
    },
  })),
});

const workers = (count) => (random) => ({
  functions: 3,
  tasks: Array.from({ length: count }, () => ({
    startNs: random.uniform() * 800 * MS,
    runs: limited(2 * MS + random.exponential(30 * MS), function* works() {
      for (;;) yield each(random.pick([0.5, 0.3, 0.2]), 20 + random.integer(300), 4000);
    }),
  })),
});

const forkServer = (count, inherits) => (random) => ({
  functions: 4,
  tasks: Array.from({ length: count }, (_, i) => ({
    inherits,
    startNs: i * 4 * MS + random.uniform() * MS,
    *runs() {
      yield each(0, 60 + random.integer(60), 3000);
      yield each(1, Math.round(Math.exp(6 + 0.9 * random.normal())) + 1, 2500);
      if (random.uniform() < 0.4) yield each(2, 100 + random.integer(500), 6000);
      yield each(3, 20 + random.integer(30), 3000);
    },
  })),
});

const compressing = (seconds) => (random) =>
  oneTask(3, seconds, function* chunks() {
    for (;;) {
      yield each(0, Math.round(64 * random.between(0.95, 1.05)), 9000);
      yield each(1, Math.round(900 * random.between(0.7, 1.3)), 2200);
      yield each(2, Math.round(40 * random.between(0.95, 1.05)), 5000);
    }
  });

const wave = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    let now = random.uniform() * 70 * MS;
    for (;;) {
      const func = random.integer(3);
      for (let parts = 1 + random.integer(8); parts > 0; parts--) {
        const perSecond = 150_000 * (1 + 0.9 * Math.sin((2 * Math.PI * now) / (70 * MS)));
        yield run(func, 0.25 * MS, perSecond);
        now += 0.25 * MS;
      }
    }
  });

const burstsOfBursts = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) {
      yield asleep(random.exponential(12 * MS));
      for (let burst = 1 + random.integer(12); burst > 0; burst--) {
        yield each(random.pick([0.5, 0.35, 0.15]), Math.round(1 + random.pareto(15, 1.6)), 1500);
        yield asleep(random.exponential(0.15 * MS));
      }
    }
  });

const workAndSleep = (seconds) => (random) =>
  oneTask(4, seconds, function* turns() {
    let func = 0;
    for (;;) {
      yield run(func, random.between(0.4 * MS, 2.5 * MS), [80_000, 250_000, 40_000, 500_000][func]);
      yield asleep(random.between(0.1 * MS, MS));
      func = random.uniform() < 0.6 ? (func + 1) % 4 : random.integer(4);
    }
  });

const drains = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) {
      yield run(0, random.between(80 * MS, 200 * MS), 15_000);
      yield run(1, random.between(10 * MS, 30 * MS), 700_000);
      yield run(2, random.between(5 * MS, 50 * MS), 90_000);
    }
  });

const deoptimized = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (let isFast = false; ; isFast = !isFast) {
      const until = random.between(50 * MS, 300 * MS);
      for (let passed = 0; passed < until; ) {
        const own = isFast ? each(1, 40, 1500) : each(0, 120 + random.integer(40), 3500);
        const other = each(2, 10 + random.integer(30), 4000);
        passed += own.ns + other.ns;
        yield own;
        yield other;
      }
    }
  });

const stages = (seconds) => (random) =>
  oneTask(5, seconds, function* turns() {
    for (let i = 0; ; i++) {
      const perSecond = [40_000, 400_000, 90_000, 200_000, 20_000][i % 5];
      yield run(i % 5, 0.3 * MS * random.between(0.7, 1.3), perSecond);
    }
  });

const rehashing = (seconds) => (random) =>
  oneTask(3, seconds, function* inserts() {
    for (;;) {
      for (let size = 64; size <= 65_536; size *= 2) {
        yield { mix: [0.7, 0.3, 0], ...run(0, size * 6000 * random.between(0.8, 1.2), 160_000) };
        yield each(2, size, 700);
      }
    }
  });

/** As `KINDS` in `processes.mjs`. */
export const VARIOUS = [
  { name: 'request server', build: requestServer(1.5), samplings: rates(997, 3989) },
  { name: 'recursion', build: recursion(1), samplings: [...rates(997, 3989), every(61)] },
  { name: 'pages, 1 to 512 a call', build: pages(1), samplings: [...rates(997, 3989), every(53)] },
  { name: 'two threads, one lock', build: lockFight(1), samplings: rates(997, 3989) },
  { name: 'slowing down a hundredfold', build: slowing(1.5), samplings: rates(997, 3989) },
  { name: 'warm-up', build: warmUp(1), samplings: rates(997, 3989) },
  { name: 'garbage collector', build: collector(1.5), samplings: rates(997, 3989) },
  { name: 'blocks of a matrix', build: blocks(1), samplings: [...rates(997, 3989), every(97)] },
  { name: 'compiler', build: compiler(1), samplings: rates(997, 3989) },
  { name: 'two rates in one function', build: twoRates(1), samplings: rates(997, 3989) },
  { name: 'ten functions, geometric', build: manyRare(1), samplings: rates(997, 3989) },
  {
    name: 'timer of 10 ms, up to 2 late',
    build: lateTimer(10 * MS, 2 * MS, 1),
    samplings: rates(997, 3989),
    isInStep: true,
  },
  { name: '20 jobs', build: jobs(20), samplings: rates(997, 3989) },
  { name: '40 workers', build: workers(40), samplings: [...rates(997, 3989), every(61)] },
  {
    name: '150 children of log-normal size',
    build: forkServer(150, false),
    samplings: [...rates(3989), every(53), every(211)],
  },
  { name: 'compressing', build: compressing(1), samplings: [...rates(997, 3989), every(97)] },
  { name: 'rate in waves of 70 ms', build: wave(1), samplings: rates(997, 3989) },
  { name: 'bursts of bursts', build: burstsOfBursts(2), samplings: rates(997, 3989) },
  { name: 'work and sleep', build: workAndSleep(1), samplings: rates(997, 3989) },
  { name: 'stuck, then drained', build: drains(2), samplings: rates(997, 3989) },
  { name: 'compiled and not', build: deoptimized(1.5), samplings: rates(997, 3989) },
  { name: 'five stages', build: stages(1), samplings: rates(997, 3989) },
  { name: 'growing table', build: rehashing(1), samplings: rates(997, 3989) },
];
