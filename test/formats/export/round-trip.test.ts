import { describe, expect, test } from 'vitest';
import type { Profile, Weights } from '../../../src/profile/types.ts';
import { hostileProfile } from '../../helpers/hostile-profile.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';
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
