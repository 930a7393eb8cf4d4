import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type {
  EventProvenance,
  ExportProvenance,
} from '../../../src/formats/export/export-provenance.ts';
import { type SpeedscopeOptions, writeSpeedscope } from '../../../src/formats/export/speedscope.ts';
import type { Profile, WeightKind } from '../../../src/profile/types.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';

const require = createRequire(import.meta.url);
const schema = readFileSync(
  require
    .resolve('speedscope/package.json')
    .replace(/package\.json$/, 'dist/release/file-format-schema.json'),
  'utf8',
);
const isValid = new Ajv().compile(JSON.parse(schema));

function speedscope(
  profile: Profile,
  kind: WeightKind = 'samples',
  more: Pick<SpeedscopeOptions, 'provenance'> = {},
) {
  const options = { exporter: 'perf-ts 1.2.3', ...more };
  const file = JSON.parse(
    collect((write) => writeSpeedscope(profile, simpleWeights(profile, kind), options, write)),
  );
  expect(isValid(file), JSON.stringify(isValid.errors)).toBe(true);
  return file;
}

describe('speedscope', () => {
  test('each event has a unit of its own: a clock counts nanoseconds, page-faults do not', () => {
    const profile = profileFromText(`
      event   cpu-clock  page-faults
      period  250000     3
              main       main
    `);
    const events = profile.events.map((event) => ({
      ...event,
      unit: event.name === 'cpu-clock' ? ('nanoseconds' as const) : ('events' as const),
    }));
    const file = speedscope({ ...profile, events }, 'period');
    expect(file.name).toBe(
      'cpu-clock, page-faults; weight: nanoseconds or events (the period that each sample has in perf)',
    );
    expect(
      file.profiles.map(({ name, unit }: { name: string; unit: string }) => [name, unit]),
    ).toEqual([
      ['app (tid 1) cpu-clock, nanoseconds', 'nanoseconds'],
      ['app (tid 1) page-faults, events', 'none'],
    ]);
  });

  test('the file of JIT code is its process, under the name that reports have for it', () => {
    const drawn = profileFromText('f@[JIT] tid 7');
    const dsos = drawn.dsos.map((dso) => ({ ...dso, path: '/tmp/perf-7.map' }));
    expect(speedscope({ ...drawn, dsos }).shared.frames).toEqual([
      { name: 'f', file: '[JIT] tid 7' },
    ]);
  });

  test('one profile a thread, the heaviest opened first, frames shared', () => {
    const profile = profileFromText(`
      comm    node  node            node
      tid     10    11              11
      period  4     6               5
              main  main            main
                    read@libc.so.6
    `);
    expect(speedscope(profile, 'period')).toEqual({
      $schema: 'https://www.speedscope.app/file-format-schema.json',
      exporter: 'perf-ts 1.2.3',
      name: 'cycles; weight: events (the period that each sample has in perf)',
      activeProfileIndex: 1,
      shared: {
        frames: [
          { name: 'main', file: '/usr/lib/app' },
          { name: 'read', file: '/usr/lib/libc.so.6' },
        ],
      },
      profiles: [
        {
          type: 'sampled',
          name: 'node (tid 10) cycles, events',
          unit: 'none',
          startValue: 0,
          endValue: 4,
          samples: [[0]],
          weights: [4],
        },
        {
          type: 'sampled',
          name: 'node (tid 11) cycles, events',
          unit: 'none',
          startValue: 0,
          endValue: 11,
          samples: [[0, 1], [0]],
          weights: [6, 5],
        },
      ],
    });
  });

  test('clock events are nanoseconds; other weights have no unit of the format', () => {
    const profile = profileFromText(`
      event   cpu-clock
      period  33333
              main
    `);
    expect(speedscope(profile, 'period').profiles[0].unit).toBe('nanoseconds');
    expect(speedscope(profile, 'samples').profiles[0].unit).toBe('none');
  });

  test('events of one thread are profiles of their own', () => {
    const profile = profileFromText(`
      event  cycles  page-faults  cycles
             main    main         main
    `);
    const names = speedscope(profile).profiles.map((section: { name: string }) => section.name);
    expect(names).toEqual(['app (tid 1) cycles, samples', 'app (tid 1) page-faults, samples']);
  });

  test('a sample without a stack keeps its weight', () => {
    const profile = profileFromText(`
      period  4  6
              -  main
    `);
    const [section] = speedscope(profile, 'period').profiles;
    expect([section.samples, section.weights, section.endValue]).toEqual([[[], [0]], [4, 6], 10]);
  });

  test('speedscope export holds its provenance; the title names problems', () => {
    const event: EventProvenance = {
      event: 'cpu-clock',
      insteadOf: 'cycles\u001b[2J',
      mode: 'clock',
      frequencyHz: null,
      fixedPeriod: null,
      unit: 'nanoseconds',
      weightsFrom: 'fixed-period',
      isGuess: false,
      rule: null,
      samples: 1,
      lostSamples: 3,
      coverage: 0.25,
      weighed: 1,
      counted: null,
      sentences: [],
    };
    const provenance: ExportProvenance = {
      schema: 'perf-ts/provenance@1',
      exporter: 'perf-ts 1.2.3',
      recorder: null,
      kernel: '6.18.1',
      arch: 'x86_64',
      weight: 'samples',
      truncatedAt: null,
      lostSideband: 0,
      notes: [],
      findings: [],
      events: [event],
    };
    const profile = profileFromText(`
      event  cpu-clock
             main
    `);
    const file = speedscope(profile, 'samples', { provenance });
    expect(file.name).toBe(
      'cpu-clock; weight: samples; cpu-clock instead of cycles\\x1b[2J; cpu-clock: 75.0% of the samples (3) were lost',
    );
    expect(file.provenance).toEqual({
      ...provenance,
      events: [{ ...event, insteadOf: 'cycles\\x1b[2J' }],
    });
  });

  test('a profile without samples is a valid file', () => {
    expect(speedscope(profileFromText('')).profiles).toEqual([]);
  });
});
