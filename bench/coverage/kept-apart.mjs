// Kinds of processes that are kept apart: their results are never looked at while the estimator is
// changed, so that they say how well it does where it was not tuned. `run.mjs --kept-apart` runs them, once,
// when a change is done; its numbers go to docs/coverage.md as they are.
//
// All were written together, each after what programs of its kind are known to do, and committed before any of them was run. Who has
// looked at their results and goes on to change the estimator must write others, and move these to the kinds that are known, as
// `services.mjs` has the ones before.

import { asleep, each, every, limited, MS, oneTask, rates, SECOND } from './parts.mjs';

const logNormal = (random, median, sigma) =>
  Math.max(1, Math.round(median * Math.exp(sigma * random.normal())));

/** Commands that come in batches of one to sixteen on a connection: most are look-ups, some store, few scan. */
const keyValues = (seconds) => (random) =>
  oneTask(4, seconds, function* connections() {
    for (;;) {
      yield each(0, 25 + random.integer(10), 2800);
      for (let commands = 1 + random.integer(16); commands > 0; commands--) {
        const kind = random.pick([0.75, 0.22, 0.03]);
        if (kind === 0) yield each(1, 12 + random.integer(14), 2100);
        else if (kind === 1) yield each(2, logNormal(random, 45, 0.6), 2600);
        else yield each(3, logNormal(random, 900, 0.8), 1500);
      }
      yield asleep(random.exponential(0.2 * MS));
    }
  });

/** Records of a stream: parsed, changed and printed, each step in proportion to the record's length; some are left out. */
const records = (seconds) => (random) =>
  oneTask(3, seconds, function* stream() {
    for (;;) {
      const length = logNormal(random, 70, 0.9);
      yield each(0, length, 2200);
      if (random.uniform() < 0.35) continue;
      yield each(1, Math.ceil(0.5 * length * random.between(0.7, 1.3)), 3500);
      yield each(2, Math.ceil(0.8 * length * random.between(0.9, 1.1)), 1800);
    }
  });

/** A table of which the places double when it is full: cheap insertions, and now and then all of it is moved. */
const doublingTable = (seconds) => (random) =>
  oneTask(3, seconds, function* tables() {
    for (;;) {
      const last = 4096 * (1 + random.integer(4));
      for (let places = 64; places < last; places *= 2) {
        for (let free = places / 2; free > 0; free -= 16) {
          yield each(0, 14 + random.integer(8), 2400);
          yield each(1, Math.ceil(random.exponential(9)), 4400);
        }
        yield each(2, Math.round(places * random.between(0.5, 0.6)), 1300);
      }
    }
  });

/** A collector that marks beside the program, in a thread of its own, and stops it for a short while at its end. */
const besideMarker = (seconds) => (random) => ({
  functions: 4,
  tasks: [
    {
      runs: limited(seconds * SECOND, function* mutator() {
        for (;;) {
          yield each(random.pick([0.8, 0.2]), logNormal(random, 110, 1), 2300);
          if (random.uniform() < 0.004) yield each(2, 400 + random.integer(500), 1700);
        }
      }),
    },
    {
      runs: limited(seconds * SECOND, function* marker() {
        for (;;) {
          yield asleep(random.between(20 * MS, 60 * MS));
          yield each(3, logNormal(random, 6000, 0.5), 1500);
        }
      }),
    },
  ],
});

/** Pages are fetched, which takes long, then parsed; links are looked up in what is known, one by one. */
const crawler = (seconds) => (random) =>
  oneTask(3, seconds, function* pages() {
    for (;;) {
      yield asleep(random.exponential(3 * MS));
      const size = logNormal(random, 500, 1);
      yield each(0, size, 1700);
      for (let links = Math.ceil(size / 40); links > 0; links--) {
        yield each(1, 5 + random.integer(12), 3000);
        if (random.uniform() < 0.3) yield each(2, 20 + random.integer(20), 2200);
      }
    }
  });

/** Moves are tried and mostly taken at first; the longer it takes the more of them are taken back. */
const annealing = (seconds) => (random) =>
  oneTask(3, seconds, function* runs() {
    for (;;) {
      for (let chance = 0.95; chance > 0.02; chance *= 0.9995) {
        yield each(0, 7 + random.integer(16), 2500);
        if (random.uniform() < chance) yield each(1, 18 + random.integer(30), 3300);
        else yield each(2, 4 + random.integer(5), 1600);
      }
    }
  });

/** Insertions into memory; full memory is written as a run; runs of a level are merged into the next, each four times as large. */
const mergedLevels = (seconds) => (random) =>
  oneTask(4, seconds, function* store() {
    for (let flushed = 1; ; flushed++) {
      for (let left = 1500; left > 0; ) {
        const size = 15 + random.integer(40);
        yield each(0, size, 2900);
        left -= size;
        if (random.uniform() < 0.15) yield each(1, 30 + random.integer(60), 2000);
      }
      yield each(2, 700 + random.integer(200), 1200);
      for (let runs = 4; flushed % runs === 0 && runs <= 64; runs *= 4) {
        yield each(3, Math.round(160 * runs * random.between(0.8, 1.2)), 1600);
      }
    }
  });

/** Four threads share parts of any size until none is left, then wait for the next round. */
const rounds = (count) => (random) => {
  const parts = Array.from({ length: count }, () =>
    Array.from({ length: 4 }, () => logNormal(random, 900, 0.7)),
  );
  const begin = [0];
  for (const sizes of parts) {
    begin.push(begin[begin.length - 1] + Math.max(...sizes) * 2900 + random.exponential(0.5 * MS));
  }
  return {
    functions: 3,
    tasks: [0, 1, 2, 3].map((thread) => ({
      *runs() {
        for (const [round, sizes] of parts.entries()) {
          yield { untilNs: begin[round], ns: 0 };
          const size = sizes[thread];
          yield each(0, Math.ceil(0.1 * size), 3600);
          yield each(1, Math.ceil(0.75 * size), 2100);
          if (thread === 0) yield each(2, 60 + random.integer(60), 4200);
        }
      },
    })),
  };
};

/** Waits for a file to change, then builds what hangs on it, and tests that: bursts of work far apart. */
const watching = (seconds) => (random) =>
  oneTask(4, seconds, function* changes() {
    for (;;) {
      yield asleep(random.exponential(120 * MS));
      for (let modules = Math.ceil(random.exponential(7)); modules > 0; modules--) {
        yield each(0, logNormal(random, 350, 0.8), 1900);
        yield each(1, logNormal(random, 260, 0.6), 2700);
      }
      for (let tests = 3 + random.integer(20); tests > 0; tests--) {
        yield each(2, 90 + random.integer(40), 3400);
        yield each(3, logNormal(random, 120, 1.1), 2200);
      }
    }
  });

/** Frames of sound: each is filtered and taken apart into tones, all the same; now and then a tone is followed. */
const sound = (seconds) => (random) =>
  oneTask(3, seconds, function* frames() {
    for (;;) {
      yield each(0, 256 + random.integer(4), 1500);
      yield each(1, 640, 2000);
      if (random.uniform() < 0.3) yield each(2, logNormal(random, 300, 0.7), 3100);
    }
  });

/** Events that are due are taken from a heap, and handled: six kinds, the commonest the shortest, each puts others in. */
const events = (seconds) => (random) =>
  oneTask(5, seconds, function* simulation() {
    for (let due = 100; ; ) {
      yield each(0, 3 + Math.round(2 * Math.log2(due)) + random.integer(4), 2600);
      const kind = random.pick([0.4, 0.25, 0.15, 0.1, 0.06, 0.04]);
      yield each(1 + (kind >> 1), Math.ceil((kind + 1) * random.exponential(14)), 1900);
      const puts = random.pick([0.35, 0.35, 0.3]);
      for (let put = 0; put < puts; put++) yield each(4, 4 + random.integer(9), 3300);
      due = Math.max(20, Math.min(5000, due + puts - 1));
    }
  });

/** Names are asked for at any time; most answers are at hand, the others come back from elsewhere. */
const names = (seconds) => (random) =>
  oneTask(3, seconds, function* questions() {
    for (;;) {
      yield asleep(random.exponential(0.12 * MS));
      yield each(0, 22 + random.integer(12), 2300);
      if (random.uniform() < 0.8) yield each(1, 9 + random.integer(6), 1800);
      else yield each(2, logNormal(random, 130, 0.7), 2900);
    }
  });

/** Pictures are unpacked, made small, and packed again; what it takes follows from how large they are. */
const thumbnails = (seconds) => (random) =>
  oneTask(3, seconds, function* pictures() {
    for (;;) {
      const size = logNormal(random, 5000, 0.7);
      yield each(0, size, 1100);
      yield each(1, Math.ceil(0.4 * size), 3700);
      yield each(2, 350 + random.integer(150), 2400);
      if (random.uniform() < 0.2) yield asleep(random.exponential(3 * MS));
    }
  });

/** Cells of a sheet: one is changed, those that hang on it are computed again, level by level, and then shown. */
const sheet = (seconds) => (random) =>
  oneTask(4, seconds, function* changes() {
    for (;;) {
      yield each(0, 30 + random.integer(50), 3000);
      for (let cells = 1, level = 0; cells >= 1 && level < 9; level++) {
        for (let cell = 0; cell < cells; cell++) yield each(1, 8 + random.integer(30), 2200);
        yield each(2, 6 + Math.round(cells), 1700);
        cells *= random.between(0.4, 2.4);
      }
      yield each(3, 120 + random.integer(160), 2600);
    }
  });

/** A game by a clock of a sixtieth of a second: what is in sight differs from frame to frame; late frames are left out. */
const game = (seconds) => (random) =>
  oneTask(4, seconds, function* play() {
    const frameNs = SECOND / 60;
    let now = 0;
    for (let inSight = 20; ; ) {
      inSight = Math.max(4, Math.min(60, inSight + 4 * random.normal()));
      const parts = [
        each(0, 200 + random.integer(80), 2500),
        each(1, Math.round(60 * inSight * random.between(0.8, 1.2)), 1900),
        each(2, Math.round(35 * inSight * random.between(0.9, 1.1)), 2800),
      ];
      if (random.uniform() < 0.1) parts.push(each(3, logNormal(random, 800, 0.6), 1400));
      for (const part of parts) {
        yield part;
        now += part.ns;
      }
      const untilNs = Math.ceil(now / frameNs) * frameNs;
      yield { untilNs, ns: untilNs - now };
      now = untilNs;
    }
  });

/** Files are packed: a head for each, then blocks of any content, of which some are stored as they are. */
const packing = (seconds) => (random) =>
  oneTask(4, seconds, function* files() {
    for (;;) {
      yield each(0, 35 + random.integer(20), 3900);
      for (let blocks = Math.ceil(random.pareto(1, 1.1)) % 300; blocks > 0; blocks--) {
        yield each(1, 64, 1400);
        if (random.uniform() < 0.3) yield each(3, 32, 1100);
        else yield each(2, 150 + random.integer(250), 2300);
      }
    }
  });

/** As `KINDS` in `processes.mjs`. */
export const KEPT_APART = [
  { name: 'keys and values', build: keyValues(1.2), samplings: [...rates(997, 3989), every(61)] },
  { name: 'records of a stream', build: records(1), samplings: [...rates(997, 3989), every(83)] },
  { name: 'table that doubles', build: doublingTable(1), samplings: rates(997, 3989) },
  { name: 'marker beside it', build: besideMarker(1.2), samplings: rates(997, 3989) },
  { name: 'crawler', build: crawler(2), samplings: rates(997, 3989) },
  { name: 'annealing', build: annealing(1), samplings: [...rates(997, 3989), every(47)] },
  { name: 'merged levels', build: mergedLevels(1.2), samplings: rates(997, 3989) },
  { name: 'rounds of four', build: rounds(120), samplings: rates(997, 3989) },
  { name: 'watching files', build: watching(3), samplings: rates(997, 3989) },
  { name: 'sound', build: sound(1), samplings: [...rates(997, 3989), every(127)] },
  { name: 'events that are due', build: events(1), samplings: [...rates(997, 3989), every(41)] },
  { name: 'names', build: names(1.2), samplings: rates(997, 3989) },
  { name: 'thumbnails', build: thumbnails(1.2), samplings: rates(997, 3989) },
  { name: 'sheet', build: sheet(1), samplings: rates(997, 3989) },
  { name: 'game', build: game(1.5), samplings: rates(997, 3989) },
  { name: 'packing', build: packing(1), samplings: [...rates(997, 3989), every(89)] },
];
