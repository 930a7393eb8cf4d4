// What is recorded, and what is known of it beforehand. A case is one recording of `phases`.

const RATES = [999, 5000, 10_000];

/** Busy, asleep, busy, asleep for longer, busy: `turns` of three cycles each time, 3:1 by function. */
const withIdleGaps = (turns) => {
  const busy = [`a:${3 * turns}`, `b:${turns}`];
  return [...busy, 's:60', ...busy, 's:200', ...busy];
};

const cycles = RATES.flatMap((hz) =>
  [true, false].map((counts) => ({
    name: `cycles ${hz} Hz${counts ? '' : ', no counts'}`,
    event: 'cycles',
    hz,
    counts,
    inherit: false,
    steps: withIdleGaps(Math.round(1.4e10 / hz)),
    shares: { loop_a: 3, loop_b: 1 },
  })),
);

const threads = [true, false].map((counts) => ({
  name: `cycles 5000 Hz, threads${counts ? '' : ', no counts'}`,
  event: 'cycles',
  hz: 5000,
  counts,
  inherit: true,
  steps: ['t:60000000'],
  shares: { loop_a: 3, loop_b: 1 },
}));

const pageFaults = [true, false].map((counts) => ({
  name: `page-faults 5000 Hz${counts ? '' : ', no counts'}`,
  event: 'page-faults',
  hz: 5000,
  counts,
  inherit: false,
  steps: ['f:15000', 'g:5000', 'x4'],
  shares: { faults_f: 3, faults_g: 1 },
}));

/**
 * The smallest ring, and a program that the recorder can't interrupt where there is one CPU: only
 * while it sleeps is the ring emptied, so there are gaps as well as a tail.
 */
const losses = {
  name: 'cycles 10000 Hz, one-page ring',
  event: 'cycles',
  hz: 10_000,
  counts: true,
  inherit: false,
  ringPages: 1,
  steps: ['p:1', 'a:6000000', 'b:2000000', 's:20', 'x5', 'a:3000000'],
  shares: { loop_a: 3, loop_b: 1 },
};

export const CASES = [...cycles, ...threads, ...pageFaults, losses];

/** The rule that is known of an event on a machine: null where nobody knows yet. */
export function knownRule(event, arch) {
  if (event === 'page-faults') return 'next';
  return arch === 'arm64' ? 'elapsed' : null;
}
