import { describe, expect, test } from 'vitest';
import { NONE } from '../../../src/base/brand.ts';
import { ProfileBuilder } from '../../../src/profile/profile-builder.ts';
import type { Profile, Weights } from '../../../src/profile/types.ts';
import { HOSTILE_NAMES } from '../../helpers/hostile-names.ts';
import { EMPTY_META, profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
import { checkRoundTrip, FORMATS } from '../../helpers/round-trip.ts';

const PROFILES: [string, Profile][] = [
  [
    'one stack',
    profileFromText(`
      main
      work
    `),
  ],
  [
    'threads, DSOs, an unknown frame and recursion',
    profileFromText(`
      comm    node  node                    gzip                 node
      tid     10    11                      20                   10
      period  4     6                       5                    100000000
              main  main                    main@gzip            main
              work  read@[kernel.kallsyms]  [unknown]@libc.so.6  work
              work  [unknown]@                                   work
    `),
  ],
  [
    'two events',
    profileFromText(`
      event   cpu-clock  page-faults  cpu-clock
              main       main         idle
              work       fault
    `),
  ],
  [
    'samples without a stack',
    profileFromText(`
      period  4  6
              -  main
    `),
  ],
  ['names that try to break out', hostileProfile()],
];

/** Each hostile name as comm, symbol, DSO and event, on a stack with all the others. */
function hostileProfile(): Profile {
  const builder = new ProfileBuilder();
  const dsos = HOSTILE_NAMES.map((name) => ({
    kind: 'user' as const,
    name,
    path: name,
    buildId: null,
  }));
  for (const [index, name] of HOSTILE_NAMES.entries()) {
    let stack: number = NONE;
    for (const [depth, symbol] of [name, ...HOSTILE_NAMES].entries()) {
      const dso = (index + depth) % dsos.length;
      const frame = builder.frames.intern(dso, HOSTILE_NAMES.indexOf(symbol as never));
      builder.frames.setFunc(frame, builder.funcs.intern(builder.strings.intern(symbol), dso));
      stack = builder.stacks.intern(stack, frame);
    }
    builder.samples.add(
      stack,
      index,
      builder.strings.intern(name),
      0,
      NONE,
      0,
      index,
      1,
      Number.NaN,
    );
  }
  return builder.finish({
    meta: EMPTY_META,
    events: [
      {
        name: HOSTILE_NAMES[0],
        type: 1,
        mode: 'period',
        frequencyHz: null,
        fixedPeriod: 1,
        unit: 'events',
      },
    ],
    dsos,
    threads: HOSTILE_NAMES.map((comm, index) => ({ pid: index, tid: index, generation: 0, comm })),
    streams: [],
    losses: [],
  });
}

describe.each(FORMATS)('$name', (format) => {
  test.each(PROFILES)('%s: parsed and exported again, the bytes are the same', (_, profile) => {
    checkRoundTrip(format, profile, simpleWeights(profile));
    checkRoundTrip(format, profile, simpleWeights(profile, 'period'));
  });

  test('weights that are not whole keep their sum', () => {
    const profile = profileFromText(`
      main  main  idle
      work  work
    `);
    const weights: Weights = {
      kind: 'events',
      unit: 'events',
      values: Float64Array.of(0.125, 2.5, 1e15),
    };
    const text = checkRoundTrip(format, profile, weights);
    expect(text).toContain('1000000000000000');
  });

  test('exports contain no control or bidi characters', () => {
    const profile = hostileProfile();
    const text = checkRoundTrip(format, profile, simpleWeights(profile));
    expect(text.replaceAll('\n', '')).not.toMatch(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are the point.
      /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/,
    );
  });
});
