import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { fitRules } from '../../src/period/period-rule.ts';
import { groupByStream } from '../../src/period/streams.ts';
import type { PeriodInput, PeriodRule } from '../../src/period/types.ts';
import type { ProfileEvent } from '../../src/profile/types.ts';
import { openProfile } from '../../src/read/open-profile.ts';
import { CORPORA, hasCorpora, perfDataCorpora } from '../helpers/corpora.ts';
import { type Stretch, simulate } from './controller-simulator.ts';
import {
  CYCLES,
  type DrawnSample,
  fixtureSamples,
  recordingOf,
  withoutReads,
} from './recording.ts';

const fitOf = (input: PeriodInput) => finish(fitRules(input, finish(groupByStream(input))));

/** Deterministic numbers in 0…1 (a linear congruence). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
}

describe('real recordings, their counts not looked at', () => {
  const fixtures = readdirSync(new URL('./fixtures', import.meta.url)).filter((name) =>
    name.endsWith('.tsv'),
  );
  for (const name of fixtures) {
    const truth = name.includes('cycles') ? 'elapsed' : 'next';
    test(`${name}: ${truth}`, () => {
      const [fit] = fitOf(recordingOf([CYCLES], withoutReads(fixtureSamples(name))));
      expect(fit).toMatchObject({ rule: truth });
      expect(fit.confidence).toBeGreaterThan(0.7);
    });
  }
});

describe.skipIf(!hasCorpora)('the corpora', () => {
  // Other people's machines, x86 from 2012 to 2024 and arm64 from 2015 to 2020: software events and Intel's counters
  // report the next interval, those of arm64 and of AMD the elapsed one.
  const AMD = 'vector_static_gcc.perf.data.zstd@4ac34ec4';
  const truthOf = (event: ProfileEvent, arch: string | null, file: string): PeriodRule =>
    event.type === 0 && (arch === 'aarch64' || file.endsWith(AMD)) ? 'elapsed' : 'next';
  // Enough samples at a rate that holds still for long enough.
  const decided = [
    'cycles:HG perf.data',
    'cycles:HG perf_with_symbols.data',
    'cycles fake-results.perf_data',
    'cycles perf.data.callgraph-3.4',
    'cycles perf.data.piped.target-3.8',
    'instructions perf.data.piped.target-3.8',
    'branches perf.data.piped.target-3.8',
  ];

  test('every event is fitted right or unknown, and has the right rule where its header tells kernel and CPU', async () => {
    const right: string[] = [];
    const wrong: string[] = [];
    const unknown: string[] = [];
    for (const { file, walk } of perfDataCorpora()) {
      if (!walk.attrs.some(({ freq }) => freq)) continue;
      const opened = await openProfile(join(CORPORA, file), { symbols: false }).catch(() => null);
      if (opened === null) continue;
      const { events, meta } = opened.profile;
      for (const [index, fit] of fitOf(opened.profile).entries()) {
        const event = events[index];
        const name = `${event.name} ${file.split('/').at(-1)}`;
        if (event.mode !== 'frequency') continue;
        const truth = truthOf(event, meta.arch, file);
        const isNamed = walk.features.some((each) => /^CPU(?:ID|DESC)$/.test(each));
        const isKnown =
          meta.kernel !== null && (isNamed || event.type !== 0 || meta.arch === 'aarch64');
        if (isKnown && opened.rules()[index].rule !== truth) unknown.push(name);
        if (fit.rule === 'unknown') continue;
        (fit.rule === truth ? right : wrong).push(name);
      }
    }
    expect(wrong).toEqual([]);
    // The table of drivers decides wherever the header tells kernel and CPU, and no fit contradicts it.
    expect(unknown).toEqual([]);
    expect(right).toEqual(expect.arrayContaining(decided));
  });
});

describe('programs that could mislead', () => {
  // The rate wavers, alternates or swells while the controller follows it.
  const hostile: Record<string, (random: () => number) => Stretch[]> = {
    'a rate that alternates every two samples': () =>
      stretches(600, (i) => (i % 2 === 0 ? 4e5 : 8e5), 0.4e6),
    'a rate that is anything': (random) => stretches(500, () => 2e5 * 8 ** random(), 0.3e6),
    'a rate that swells and falls': () =>
      stretches(1500, (i) => 4e5 * (1 + 0.6 * Math.sin(i / 15)), 0.2e6),
    'idle between bursts': (random) =>
      stretches(400, (i) => (i % 5 < 3 ? 6e5 : 0), 2e6).map((stretch) => ({
        ...stretch,
        durationNs: stretch.durationNs * (0.2 + random()),
        asleep: stretch.eventsPerSecond === 0,
      })),
    'few events on a busy CPU between': () => stretches(60, (i) => (i % 2 === 0 ? 1e6 : 500), 30e6),
  };
  for (const [name, draw] of Object.entries(hostile)) {
    test.each(['next', 'elapsed'] as const)(
      `${name}: a program fitted as %s is never taken for the other rule`,
      (rule) => {
        const contrary = rule === 'next' ? 'elapsed' : 'next';
        for (let seed = 1; seed <= 5; seed++) {
          for (const frequencyHz of [999, 5000, 20_000]) {
            const samples = simulate(draw(randomNumbers(seed)), { frequencyHz, rule });
            expect(fitOf(recordingOf([CYCLES], withoutReads(samples)))[0].rule).not.toBe(contrary);
          }
        }
      },
    );
  }

  test('intervals and periods that have nothing to do with each other decide nothing', () => {
    for (let seed = 1; seed <= 20; seed++) {
      const random = randomNumbers(seed);
      let timeNs = 0;
      const samples = Array.from({ length: 2000 }, () => {
        timeNs += 1e5 * (1 + 0.2 * random());
        return { timeNs, period: Math.round(1e5 * (1 + 0.2 * random())) };
      });
      expect(fitOf(recordingOf([CYCLES], samples))[0].rule).toBe('unknown');
    }
  });
});

describe('streams without ids', () => {
  const steps = stretches(40, (i) => (i % 2 === 0 ? 1e6 : 3e5), 10e6);
  const cpus = [4000, 5000].map((frequencyHz) =>
    withoutReads(simulate(steps, { frequencyHz, rule: 'elapsed' })),
  );
  const merge = (samples: DrawnSample[]) => samples.sort((a, b) => a.timeNs - b.timeNs);

  test('fitting splits streams by CPU where instances follow CPUs', () => {
    const samples = cpus.flatMap((own, cpu) =>
      own.map((sample, i) => ({ ...sample, stream: -1, cpu, thread: (i * 7) % 5 })),
    );
    expect(fitOf(recordingOf([CYCLES], merge(samples)))[0].rule).toBe('elapsed');
  });

  test('fitting splits streams by thread where instances follow threads', () => {
    const samples = cpus.flatMap((own, thread) =>
      own.map((sample) => ({ ...sample, stream: -1, cpu: 0, thread })),
    );
    expect(fitOf(recordingOf([CYCLES], merge(samples)))[0].rule).toBe('elapsed');
  });
});

test('each event is fitted from its own samples', () => {
  const steps = stretches(40, (i) => (i % 2 === 0 ? 1e6 : 3e5), 10e6);
  const samples = (['next', 'elapsed'] as const).flatMap((rule, event) =>
    withoutReads(simulate(steps, { frequencyHz: 4000, rule })).map((sample) => ({
      ...sample,
      event,
      stream: event,
    })),
  );
  samples.sort((a, b) => a.timeNs - b.timeNs);
  const fits = fitOf(recordingOf([CYCLES, CYCLES], samples));
  expect(fits.map(({ rule }) => rule)).toEqual(['next', 'elapsed']);
});

test('the rule is unknown with too few samples, or none', () => {
  for (const length of [0, 1, 2, 3, 9]) {
    const samples = Array.from({ length }, (_, i) => ({ timeNs: 1e5 * 2 ** i, period: 2 ** i }));
    expect(fitOf(recordingOf([CYCLES], samples))[0].rule).toBe('unknown');
  }
});

/** `count` stretches of the same length in nanoseconds. */
function stretches(
  count: number,
  eventsPerSecond: (index: number) => number,
  durationNs: number,
): Stretch[] {
  return Array.from({ length: count }, (_, i) => ({
    durationNs,
    eventsPerSecond: eventsPerSecond(i),
  }));
}
