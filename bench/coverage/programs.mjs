// Kinds of processes as programs are, with work that is regular in some of them. They were kept apart until 30 November 2026
// (`kept-apart.mjs`), so that nothing before that day was chosen by them.

import { asleep, each, every, limited, MS, oneTask, rates, run, SECOND } from './parts.mjs';

/** Texts of nested values: strings and numbers between brackets, then a hash of what was read. */
const parser = (seconds) => (random) => {
  function* value(depth) {
    const kind = depth > 6 ? 2 : random.pick([0.3, 0.2, 0.5]);
    if (kind === 2) {
      yield each(random.pick([0.6, 0.4]), 3 + random.integer(25), 1800);
      return;
    }
    yield each(2, 2 + random.integer(4), 4000);
    for (let members = 1 + random.integer(5); members > 0; members--) yield* value(depth + 1);
  }
  return oneTask(4, seconds, function* texts() {
    for (;;) {
      yield* value(0);
      yield each(3, 40 + random.integer(120), 900);
    }
  });
};

function* sorted(random, size) {
  if (size < 24) {
    yield each(1, Math.max(1, size * 2), 1500);
    return;
  }
  yield each(0, size, 2500);
  const left = Math.round(size * random.between(0.3, 0.7));
  yield* sorted(random, left);
  yield* sorted(random, size - left);
}

/** Arrays are filled, sorted and merged. */
const sorting = (seconds) => (random) =>
  oneTask(3, seconds, function* arrays() {
    for (;;) {
      const size = 400 + random.integer(6000);
      yield each(2, Math.round(size / 2), 700);
      yield* sorted(random, size);
    }
  });

/** Frames of 16.7 ms: what each takes differs, and the rest is waited for. */
const frames = (seconds) => (random) =>
  oneTask(3, seconds, function* drawn() {
    const frameNs = SECOND / 60;
    for (let frame = 1; ; frame++) {
      yield each(0, 200 + random.integer(300), 3500);
      yield each(1, Math.round(400 + random.exponential(500)), 2600);
      yield each(2, 120, 7000);
      yield { untilNs: frame * frameNs + random.exponential(0.05 * MS), ns: frameNs };
    }
  });

/** Hits are short, misses read pages, and each sixtieth entry throws others out. */
const cache = (seconds) => (random) =>
  oneTask(4, seconds, function* requests() {
    for (let misses = 0; ; ) {
      yield each(0, 8 + random.integer(12), 3000);
      if (random.uniform() < 0.85) {
        yield each(1, 4 + random.integer(6), 2500);
        continue;
      }
      yield each(2, 90 + random.integer(60), 1100);
      yield asleep(random.exponential(0.25 * MS));
      if (++misses % 60 === 0) yield each(3, 1500 + random.integer(1000), 1300);
    }
  });

/** Steps of equal work, and an output after each twelfth. */
const timeSteps = (seconds) => (random) =>
  oneTask(4, seconds, function* steps() {
    for (let step = 1; ; step++) {
      yield each(0, Math.round(620 * random.between(0.97, 1.03)), 1900);
      yield each(1, Math.round(210 * random.between(0.97, 1.03)), 4100);
      yield each(2, 75, 2300);
      if (step % 12 === 0) yield each(3, 1800, 1000);
    }
  });

/** Four threads with parts of unequal size; each step begins when the slowest has ended the one before. */
const barrier = (steps) => (random) => {
  const parts = Array.from({ length: 4 }, () =>
    Array.from({ length: steps }, () => Math.round(150 + random.exponential(350))),
  );
  const ends = [];
  let end = 0;
  for (let step = 0; step < steps; step++) {
    end += 0.2 * MS + Math.max(...parts.map((part) => part[step] * 2400 * 1.3));
    ends.push(end);
  }
  return {
    functions: 3,
    tasks: parts.map((part, index) => ({
      *runs() {
        for (const [step, size] of part.entries()) {
          yield each(0, Math.max(1, Math.round(size * 0.7)), 2400);
          yield each(1 + (index % 2), Math.max(1, Math.round(size * 0.3)), 2400);
          yield { untilNs: ends[step], ns: 0 };
        }
      },
    })),
  };
};

/** Backtracking: most searches end at once, some take thousands of steps. */
const backtracking = (seconds) => (random) =>
  oneTask(3, seconds, function* searches() {
    for (;;) {
      yield each(0, 15 + random.integer(30), 2200);
      yield each(1, Math.round(Math.min(20_000, random.pareto(12, 1.1))), 1600);
      if (random.uniform() < 0.3) yield each(2, 5 + random.integer(10), 8000);
    }
  });

/** Blocks of 64 events, eight of which are written out in 37. */
const blocksOut = (seconds) => (random) =>
  oneTask(3, seconds, function* rounds() {
    for (;;) {
      for (let block = 0; block < 8; block++) {
        yield each(0, 64, 2700);
        yield each(1, 6 + random.integer(5), 3600);
      }
      yield each(2, 37, 1200);
      yield asleep(random.exponential(0.1 * MS));
    }
  });

/** Instructions of a virtual machine, each a few events, one by what the last one was. */
const interpreter = (seconds) => (random) =>
  oneTask(5, seconds, function* instructions() {
    for (let last = 0; ; ) {
      last = random.uniform() < 0.55 ? (last + 1) % 5 : random.pick([0.35, 0.25, 0.2, 0.15, 0.05]);
      yield each(last, 3 + random.integer([4, 8, 12, 3, 30][last]), 2000);
    }
  });

/** Commands of a script, one after the other: loader, work of any length, end. */
const commands = (count) => (random) => {
  let startNs = 0;
  return {
    functions: 4,
    tasks: Array.from({ length: count }, () => {
      const loaded = 140 + random.integer(220);
      const worked = Math.round(random.pareto(80, 0.9));
      const parsed = 30 + random.integer(90);
      const task = {
        startNs,
        *runs() {
          yield each(0, loaded, 2100);
          yield each(1, parsed, 3000);
          yield each(2, Math.min(9000, worked), 2600);
          yield each(3, 25 + random.integer(15), 2400);
        },
      };
      startNs += 0.5 * MS + (loaded + parsed + Math.min(9000, worked)) * 3000;
      return task;
    }),
  };
};

/** Even work, and a compaction every 120 to 260 ms. */
const compaction = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) {
      const until = random.between(120 * MS, 260 * MS);
      for (let passed = 0; passed < until; ) {
        const put = each(0, 40 + random.integer(60), 5500);
        const got = each(1, 20 + random.integer(160), 4200);
        passed += put.ns + got.ns;
        yield put;
        yield got;
      }
      yield run(2, random.between(6 * MS, 14 * MS), 550_000);
    }
  });

/** Memory is touched for the first time at the beginning of each call, then less and less. */
const firstTouch = (seconds) => (random) =>
  oneTask(3, seconds, function* calls() {
    for (;;) {
      const func = random.pick([0.45, 0.35, 0.2]);
      for (let perSecond = 900_000; perSecond > 12_000; perSecond /= 2) {
        yield run(func, random.between(0.1 * MS, 0.3 * MS), perSecond);
      }
    }
  });

/** A loop of some thousand events, the same but for one in fifty of them. */
const nearlyLoop = (seconds) => (random) =>
  oneTask(3, seconds, function* turns() {
    for (;;) {
      yield each(0, 420 + random.integer(10), 2500);
      yield each(1, 330 + random.integer(8), 2500);
      yield each(2, 240 + random.integer(8), 2500);
    }
  });

/** A stream of messages: read, decoded and stored by three tasks that wait for each other now and then. */
const messages = (seconds) => (random) => ({
  functions: 4,
  tasks: [
    [0, 20, 1500, 0.15],
    [1, 90, 3200, 0.1],
    [2, 40, 2000, 0.3],
  ].map(([func, size, gapNs, waitMs]) => ({
    runs: limited(seconds * SECOND, function* works() {
      for (;;) {
        yield each(func, Math.round(4 + random.exponential(size)), gapNs);
        if (random.uniform() < 0.2) yield each(3, 6 + random.integer(20), 5000);
        yield asleep(random.exponential(waitMs * MS));
      }
    }),
  })),
});

/** As `KINDS` in `processes.mjs`. */
export const PROGRAMS = [
  { name: 'parser', build: parser(1), samplings: [...rates(997, 3989), every(89)] },
  { name: 'sorting', build: sorting(1), samplings: [...rates(997, 3989), every(128)] },
  { name: 'frames', build: frames(1.5), samplings: rates(997, 3989), isInStep: true },
  { name: 'cache', build: cache(1), samplings: [...rates(997, 3989), every(29)] },
  { name: 'steps in time', build: timeSteps(1), samplings: [...rates(997, 3989), every(211)] },
  { name: 'four threads, one barrier', build: barrier(400), samplings: rates(997, 3989) },
  { name: 'backtracking', build: backtracking(1), samplings: [...rates(997, 3989), every(64)] },
  {
    name: 'blocks of 64 and output',
    build: blocksOut(1),
    samplings: [...rates(997, 3989), every(73)],
  },
  { name: 'interpreter', build: interpreter(1), samplings: [...rates(997, 3989), every(17)] },
  { name: '90 commands', build: commands(90), samplings: [...rates(997, 3989), every(43)] },
  { name: 'compaction', build: compaction(1.5), samplings: rates(997, 3989) },
  { name: 'memory touched first', build: firstTouch(1), samplings: rates(997, 3989) },
  {
    name: 'nearly a loop of 1000',
    build: nearlyLoop(1),
    samplings: [...rates(997, 3989), every(97)],
  },
  { name: 'messages', build: messages(1), samplings: rates(997, 3989) },
];
