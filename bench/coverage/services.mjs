// Kinds of processes as services and tools are: routes, databases, encoders, builds, tests. They were kept apart until 30 November 2026, 20:00 UTC
// (`kept-apart.mjs`), and run once before that.

import { asleep, each, every, limited, MS, oneTask, rates, run, SECOND } from './parts.mjs';

const logNormal = (random, median, sigma) =>
  Math.max(1, Math.round(median * Math.exp(sigma * random.normal())));

/** Allocates until a young heap of some size is full; a collection takes as long as what survives, which is heavy-tailed. */
const pauses = (seconds) => (random) =>
  oneTask(4, seconds, function* mutator() {
    for (let old = 0; ; ) {
      for (let full = 4000 * random.between(0.9, 1.1); full > 0; ) {
        const size = logNormal(random, 60, 0.8);
        yield each(random.pick([0.7, 0.3]), size, 2400);
        full -= size;
      }
      const survived = Math.min(20_000, random.pareto(90, 1.3));
      yield each(2, Math.round(survived), 1200);
      old += survived;
      if (old < 6000) continue;
      yield each(3, logNormal(random, 2500, 0.6), 900);
      old = 0;
    }
  });

/** Interprets, compiles what is called often, and from then on only runs what was compiled: a third of the time, then steadily. */
const compiledOnce = (seconds) => (random) =>
  oneTask(4, seconds, function* calls() {
    const heat = Array.from({ length: 40 }, () => 0);
    const hot = heat.map((_, index) => 1 / (index + 2));
    const all = hot.reduce((sum, part) => sum + part, 0);
    const parts = hot.map((part) => part / all);
    for (;;) {
      const called = random.pick(parts);
      heat[called]++;
      const isCompiled = heat[called] > 150;
      yield each(isCompiled ? 1 : 0, 10 + ((called * 37) % 70), isCompiled ? 1800 : 5200);
      if (heat[called] === 150) yield each(2, logNormal(random, 700, 0.5), 2000);
      if (random.uniform() < 0.1) yield each(3, 6 + random.integer(9), 3600);
    }
  });

/** Requests to twelve routes, the commonest the cheapest; each route has a cost of its own, and answers of a length in proportion. */
const routes = (seconds) => (random) => {
  const parts = Array.from({ length: 12 }, (_, i) => 1 / (i + 1));
  const all = parts.reduce((sum, part) => sum + part, 0);
  const chances = parts.map((part) => part / all);
  const costs = parts.map((_, i) => 25 * (i + 1) * random.between(0.6, 1.6));
  return oneTask(5, seconds, function* requests() {
    for (;;) {
      const route = random.pick(chances);
      yield each(0, 14 + random.integer(10), 3100);
      const cost = logNormal(random, costs[route], 0.4);
      yield each(route < 2 ? 1 : route < 6 ? 2 : 3, cost, 2200);
      yield each(4, 5 + Math.round(cost * random.between(0.1, 0.3)), 1500);
      yield asleep(random.exponential(0.15 * MS));
    }
  });
};

/** Chunks of a file: read, which waits for the disk, worked on, written, which waits less. */
const chunks = (seconds) => (random) =>
  oneTask(3, seconds, function* files() {
    for (;;) {
      for (let chunk = 1 + random.integer(40); chunk > 0; chunk--) {
        yield each(0, 16 + random.integer(4), 1400);
        yield asleep(random.uniform() < 0.8 ? 0.08 * MS : random.exponential(4 * MS));
        yield each(1, logNormal(random, 380, 0.35), 2300);
        yield each(2, 40 + random.integer(12), 1900);
        if (random.uniform() < 0.3) yield asleep(random.exponential(0.5 * MS));
      }
      yield asleep(random.exponential(6 * MS));
    }
  });

/** Timers of 25 ms and of 40 ms, each a little late, choose the work; a piece of it that has begun is finished. */
const byTimers = (seconds) => (random) =>
  oneTask(4, seconds, function* turns() {
    let now = 0;
    const due = [25 * MS * random.uniform(), 40 * MS * random.uniform()];
    for (let mode = 0; ; ) {
      const work = each(mode, 30 + random.integer(200), [1700, 3900, 2600][mode]);
      now += work.ns;
      yield work;
      for (const [timer, everyNs] of [25 * MS, 40 * MS].entries()) {
        if (now < due[timer]) continue;
        due[timer] += everyNs;
        mode = (mode + 1 + timer) % 3;
        yield each(3, 20 + random.integer(60), 2800);
      }
    }
  });

/** Two threads on one core: each has it for slices of three milliseconds or so, the ends of which come anywhere in its work. */
const oneCore = (seconds) => (random) => {
  const ends = [];
  for (let at = 0; at < seconds * SECOND; ) {
    at += random.uniform() < 0.85 ? 3 * MS + random.exponential(0.2 * MS) : random.exponential(MS);
    ends.push(at);
  }
  const works = [
    () => [each(0, 40 + random.integer(300), 2100), each(1, 20 + random.integer(120), 4700)],
    () => [each(2, logNormal(random, 900, 0.7), 1600), each(3, 30 + random.integer(30), 6100)],
  ];
  return {
    functions: 4,
    tasks: works.map((work, side) => ({
      *runs() {
        let parts = [];
        for (let slice = side; slice < ends.length; slice += 2) {
          const begin = slice === 0 ? 0 : ends[slice - 1];
          if (begin > 0) yield { untilNs: begin, ns: 0 };
          for (let left = ends[slice] - begin; left > 0; ) {
            if (parts.length === 0) parts = work();
            const { func, events, ns } = parts.shift();
            const gap = ns / events;
            const done = Math.min(events, Math.floor(left / gap));
            if (done > 0) yield each(func, done, gap);
            if (done < events) {
              parts.unshift(each(func, events - done, gap));
              break;
            }
            left -= ns;
          }
        }
      },
    })),
  };
};

/** Rounds of an event loop: timers that are due, what came from the net, then what that promised; and waits for more. */
const eventLoop = (seconds) => (random) =>
  oneTask(4, seconds, function* rounds() {
    for (;;) {
      let promised = 0;
      if (random.uniform() < 0.2) yield each(0, 15 + random.integer(80), 2500);
      for (let ready = Math.floor(random.exponential(3)); ready >= 0; ready--) {
        yield each(1, logNormal(random, 50, 0.9), 2000);
        promised += random.integer(4);
      }
      for (; promised > 0; promised--) yield each(2, 8 + random.integer(26), 1500);
      yield each(3, 12, 4200);
      if (random.uniform() < 0.5) yield asleep(random.exponential(0.7 * MS));
    }
  });

/** Frames of a film: one in twelve whole, the others by what moved, and what moved changes with the scene. */
const encoder = (seconds) => (random) =>
  oneTask(4, seconds, function* film() {
    let motion = random.between(0.2, 1);
    for (let frame = 0; ; frame++) {
      if (random.uniform() < 0.03) motion = random.between(0.2, 1);
      const isWhole = frame % 12 === 0;
      if (!isWhole) yield each(0, Math.round(2600 * motion * random.between(0.8, 1.2)), 1300);
      yield each(1, Math.round(900 * random.between(0.97, 1.03)), 1700);
      yield each(2, Math.round((isWhole ? 1500 : 350 * motion) * random.between(0.9, 1.1)), 3000);
      if (frame % 3 === 2) yield each(3, 160 + random.integer(40), 5200);
    }
  });

/** Look-ups in a tree of pages: most pages are at hand; writes are gathered, and put away when there are enough. */
const database = (seconds) => (random) =>
  oneTask(4, seconds, function* statements() {
    for (let dirty = 0; ; ) {
      const depth = 3 + random.integer(2);
      for (let level = 0; level < depth; level++) {
        yield each(0, 10 + random.integer(12), 1900);
        if (random.uniform() < 0.03 * level) yield asleep(random.exponential(0.2 * MS));
      }
      yield each(1, 12 + random.integer(50), 3400);
      if (random.uniform() < 0.3) {
        yield each(2, 20 + random.integer(25), 2700);
        dirty++;
      }
      if (dirty < 220) continue;
      yield each(3, 3000 + random.integer(800), 1000);
      yield asleep(random.exponential(2 * MS));
      dirty = 0;
    }
  });

/** Joins of two tables: the smaller one is hashed, then the other one is looked up row by row, some rows with many matches. */
const joins = (seconds) => (random) =>
  oneTask(4, seconds, function* queries() {
    for (;;) {
      yield each(3, 100 + random.integer(200), 4100);
      yield each(0, logNormal(random, 1500, 0.8), 1400);
      for (let rows = 100 + random.integer(900); rows > 0; rows -= 8) {
        yield each(1, 24 + random.integer(8), 2600);
        const matches = Math.floor(random.pareto(1, 1.5) - 0.5);
        if (matches > 0) yield each(2, Math.min(4000, 5 * matches), 1700);
      }
    }
  });

/** A body that moves: steps as long as its speed allows, each with some iterations until they agree. */
const solver = (seconds) => (random) =>
  oneTask(3, seconds, function* steps() {
    for (let stiff = 2; ; ) {
      stiff = Math.min(14, Math.max(1, stiff + 0.5 * random.normal()));
      for (let iteration = Math.round(stiff); iteration > 0; iteration--) {
        yield each(0, 96, 2000);
        yield each(1, 61 + random.integer(5), 3300);
      }
      yield each(2, 30 + random.integer(10), 5000);
    }
  });

/** Modules of a program: read and parsed one by one, in one of many sizes; then joined, all at once, and made small. */
const bundler = (seconds) => (random) =>
  oneTask(4, seconds, function* builds() {
    for (;;) {
      for (let modules = 60 + random.integer(60); modules > 0; modules--) {
        yield asleep(random.exponential(0.05 * MS));
        const size = logNormal(random, 45, 1.1);
        yield each(0, size, 1500);
        yield each(1, Math.ceil(1.6 * size * random.between(0.8, 1.2)), 2400);
      }
      yield each(2, 2500 + random.integer(1500), 3100);
      yield each(3, 4500 + random.integer(2500), 1800);
    }
  });

/** A game is thought over: each depth takes some times as long as the one before, and between them is a move. */
const deepening = (seconds) => (random) =>
  oneTask(3, seconds, function* moves() {
    for (;;) {
      for (let nodes = 4; nodes < 3000; nodes *= random.between(2, 4)) {
        for (let node = 0; node < nodes; node += 6) {
          yield each(0, 11 + random.integer(9), 1700);
          yield each(1, 6 + random.integer(30), 2300);
        }
        yield each(2, 60 + random.integer(60), 4000);
      }
    }
  });

/** Two threads of which the one that does not have the lock turns round until it has. */
const spinning = (seconds) => (random) => ({
  functions: 3,
  tasks: [0, 1].map((side) => ({
    runs: limited(seconds * SECOND, function* sections() {
      for (;;) {
        yield each(side, 30 + random.integer(side === 0 ? 90 : 260), 2500);
        if (random.uniform() < 0.45) yield each(2, Math.ceil(random.exponential(140)), 700);
      }
    }),
  })),
});

/** Lines of a log of any length fill a buffer, which is written when it is full. */
const logging = (seconds) => (random) =>
  oneTask(3, seconds, function* lines() {
    for (let filled = 0; ; ) {
      yield each(0, 40 + random.integer(100), 2700);
      const length = 60 + random.integer(200);
      yield each(1, Math.round(length / 6), 1500);
      filled += length;
      if (filled < 4096) continue;
      filled -= 4096;
      yield each(2, 85, 3600);
      yield asleep(random.exponential(0.03 * MS));
    }
  });

/** Layers of a net, each as long as what it was given: what waited in a queue, one to eight at a time. */
const inference = (seconds) => (random) =>
  oneTask(4, seconds, function* batches() {
    const layers = Array.from({ length: 9 }, (_, i) => [i % 3, 40 + random.integer(160)]);
    for (;;) {
      const batch = 1 + random.integer(8);
      yield each(3, 20 * batch + random.integer(20), 3300);
      for (const [func, size] of layers) yield each(func, size * batch, [1500, 1900, 2800][func]);
      if (batch < 3) yield asleep(random.exponential(0.6 * MS));
    }
  });

/** Tests, each in a process of its own: all begin alike, some take long. */
const tests = (count) => (random) => ({
  functions: 4,
  tasks: Array.from({ length: count }, (_, index) => ({
    startNs: index * 9 * MS + random.uniform() * 3 * MS,
    *runs() {
      yield each(0, 700 + random.integer(60), 1600);
      yield each(1, 250 + random.integer(250), 2900);
      yield each(2, logNormal(random, 1200, 1.2), 2100);
      yield each(3, 90 + random.integer(20), 2600);
    },
  })),
});

/** Turns round for a message, and does what it says, mostly little. */
const polling = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) {
      yield each(0, Math.ceil(random.exponential(260)), 4500);
      yield each(1, Math.round(random.pareto(30, 1.4)) % 12_000, 1600);
      if (random.uniform() < 0.15) yield each(2, 150 + random.integer(250), 2200);
    }
  });

/** Tiles of a picture, of which neighbours are as hard: three threads take the next one each. */
const tiles = (seconds) => (random) => ({
  functions: 3,
  tasks: Array.from({ length: 3 }, () => ({
    runs: limited(seconds * SECOND, function* picture() {
      for (let hard = 0; ; ) {
        hard = 0.9 * hard + 0.44 * random.normal();
        for (let rays = 16; rays > 0; rays--) {
          yield each(0, 9 + random.integer(8), 1800);
          yield each(1, Math.max(1, Math.round(14 * Math.exp(0.8 * hard))), 2600);
        }
        yield each(2, 24 + random.integer(16), 5100);
      }
    }),
  })),
});

/** One function whose misses of the cache come and go with where it is in memory, beside one that has few. */
const misses = (seconds) => (random) =>
  oneTask(3, seconds, function* passes() {
    for (let isCold = false; ; isCold = random.uniform() < 0.4) {
      yield run(0, random.between(0.3 * MS, 3 * MS), isCold ? 380_000 : 25_000);
      yield run(1, logNormal(random, 0.5 * MS, 0.5), 60_000);
      if (random.uniform() < 0.2) yield run(2, random.exponential(2 * MS) + 1000, 150_000);
    }
  });

/** As `KINDS` in `processes.mjs`. */
export const SERVICES = [
  { name: 'pauses', build: pauses(1.2), samplings: [...rates(997, 3989), every(71)] },
  { name: 'compiled once', build: compiledOnce(1.2), samplings: rates(997, 3989) },
  { name: 'twelve routes', build: routes(1.2), samplings: [...rates(997, 3989), every(53)] },
  { name: 'chunks of files', build: chunks(1.5), samplings: rates(997, 3989) },
  { name: 'chosen by timers', build: byTimers(1.2), samplings: rates(997, 3989) },
  { name: 'two threads on a core', build: oneCore(1.2), samplings: rates(997, 3989) },
  { name: 'event loop', build: eventLoop(1.2), samplings: rates(997, 3989) },
  { name: 'encoder', build: encoder(1.2), samplings: [...rates(997, 3989), every(103)] },
  { name: 'database', build: database(1.2), samplings: rates(997, 3989) },
  { name: 'joins', build: joins(1), samplings: rates(997, 3989) },
  { name: 'solver', build: solver(1), samplings: [...rates(997, 3989), every(89)] },
  { name: 'bundler', build: bundler(1.2), samplings: rates(997, 3989) },
  { name: 'deepening', build: deepening(1), samplings: rates(997, 3989) },
  { name: 'spinning', build: spinning(0.8), samplings: rates(997, 3989) },
  { name: 'logging', build: logging(1), samplings: [...rates(997, 3989), every(67)] },
  { name: 'layers of a net', build: inference(1), samplings: rates(997, 3989) },
  { name: '100 tests', build: tests(100), samplings: [...rates(3989), every(59)] },
  { name: 'polling', build: polling(1), samplings: rates(997, 3989) },
  { name: 'tiles', build: tiles(0.6), samplings: rates(997, 3989) },
  { name: 'misses that come and go', build: misses(1.2), samplings: rates(997, 3989) },
];
