// What the programs are made to do. A scenario draws a script from a stream of random numbers, so
// that a repetition is another run of the same kind, and a seed is one run again.

/** Spins that make an event about so many times as long as one without (about 1 µs). */
const SPINS_PER_TIMES = 3000;
const slowedTo = (times) => (times - 1) * SPINS_PER_TIMES;

/**
 * `program` is a file of programs/; `tasks(random)` are its tasks, each a list of steps (work.h).
 * About half a second of work each.
 */
export const scenarios = {
  'equal-rate': {
    named: 'one rate, shares 50/25/15/7/3 %: the control',
    program: 'threads',
    tasks: (random) => [
      repeat(40, () => [
        run(random, 'a', 5000, 1),
        run(random, 'b', 2500, 1),
        run(random, 'c', 1500, 1),
        run(random, 'd', 700, 1),
        run(random, 'e', 300, 1),
      ]),
    ],
  },
  'long-2x': longPhases(2),
  'long-10x': longPhases(10),
  'long-100x': longPhases(100),
  'short-2x': shortPhases(2),
  'short-10x': shortPhases(10),
  'short-100x': shortPhases(100),
  'idle-gaps': {
    named: 'phases of two rates, 5 to 60 ms of sleep between them',
    program: 'threads',
    tasks: (random) => [
      repeat(10, () => [
        run(random, 'a', 10_000, 1),
        `sleep ${between(random, 5000, 60_000)}`,
        run(random, 'b', 1500, 10),
        `sleep ${between(random, 5000, 60_000)}`,
        run(random, 'c', 4000, 3),
      ]),
    ],
  },
  'busy-gaps': {
    named: 'phases of two rates, 5 to 60 ms of computing without an event between them',
    program: 'threads',
    tasks: (random) => [
      repeat(8, () => [
        run(random, 'a', 10_000, 1),
        `busy ${between(random, 15_000_000, 180_000_000)}`,
        run(random, 'b', 1500, 10),
        `busy ${between(random, 15_000_000, 180_000_000)}`,
        run(random, 'c', 4000, 3),
      ]),
    ],
  },
  bursts: {
    named: 'bursts of some hundred events at full speed in a slow course of events',
    program: 'threads',
    tasks: (random) => [
      repeat(120, () => [
        run(random, 'a', 60, 60),
        run(random, 'b', 400, 1),
        run(random, 'c', 30, 60),
        run(random, 'd', 1500, 1),
      ]),
    ],
  },
  threads: {
    named: 'six threads on two CPUs, each with its own mix and rates',
    program: 'threads',
    tasks: (random) =>
      [...'abcdef'].map((own, i) =>
        repeat(12, () => [
          run(random, own, 3000, 1 + i),
          run(random, 'g', 300, 20),
          run(random, 'h', 2000, 2),
          ...(i % 2 === 0 ? [`sleep ${between(random, 1000, 8000)}`] : []),
        ]),
      ),
  },
  migrations: {
    named: 'one task that changes its CPU every few milliseconds, at two rates',
    program: 'threads',
    tasks: (random) => [
      repeat(30, (i) => [
        `cpu ${i % 2}`,
        run(random, 'a', 6000, 1),
        run(random, 'b', 400, 15),
        `cpu ${(i + 1) % 2}`,
        run(random, 'c', 3000, 2),
      ]),
    ],
  },
  forks: {
    named: '150 children of a few milliseconds, each with its own mix',
    program: 'forks',
    tasks: (random) =>
      Array.from({ length: 150 }, (_, i) => [
        run(random, 'abcd'[i % 4], 1500, 1 + (i % 4) * 3),
        run(random, 'e', 500, 2),
        run(random, 'f', 100, 20),
      ]),
  },
};

function longPhases(times) {
  return {
    named: `phases of 50 to 150 ms, rates ${times}× apart`,
    program: 'threads',
    tasks: (random) => [
      repeat(3, () => [
        run(random, 'a', 100_000, 1),
        run(random, 'b', 100_000 / times, times),
        run(random, 'c', 50_000 / times, times),
      ]),
    ],
  };
}

function shortPhases(times) {
  return {
    named: `phases of 1 to 5 ms, rates ${times}× apart`,
    program: 'threads',
    tasks: (random) => [
      repeat(80, () => [
        run(random, 'a', 3000, 1),
        run(random, 'b', 3000 / times, times),
        run(random, 'c', 2000, 1),
        run(random, 'd', 1500 / times, times),
      ]),
    ],
  };
}

/** About `events` events (half to one and a half times), each as long as `times` events are. */
function run(random, name, events, times) {
  const count = Math.max(1, Math.round(events * (0.5 + random())));
  return `run ${name} ${count} ${slowedTo(times)}`;
}

function between(random, low, high) {
  return Math.round(low + random() * (high - low));
}

function repeat(times, steps) {
  return Array.from({ length: times }, (_, i) => steps(i)).flat();
}

/**
 * A system call takes about a quarter of a fault's time: four times as many, with a quarter of the
 * spins, make phases as long.
 */
const EVENTS_PER_FAULT = { faults: 1, calls: 4 };

/** The text that the programs read. */
export function scriptOf(scenario, kind, seed) {
  const scale = EVENTS_PER_FAULT[kind];
  const lines = [];
  for (const steps of scenario.tasks(randomNumbers(seed))) {
    lines.push('task');
    for (const step of steps) {
      const [word, name, events, spins] = step.split(' ');
      if (word !== 'run') lines.push(step);
      else lines.push(`run ${name} ${Number(events) * scale} ${Math.round(Number(spins) / scale)}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** mulberry32: numbers in [0, 1), the same for the same seed. */
export function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
