import { describe, expect, test } from 'vitest';
import { checkProfile } from '../../src/profile/check.ts';
import type { Profile } from '../../src/profile/types.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

const GOOD = () =>
  profileFromText(`
    main  main  idle
    work  work
  `);

/** The profile with `change` made to it: tables are copied, so columns may be replaced. */
function broken(change: (profile: Mutable) => void): Profile {
  const profile = GOOD();
  const copy = {
    ...profile,
    funcs: { ...profile.funcs },
    frames: { ...profile.frames },
    stacks: { ...profile.stacks },
    samples: { ...profile.samples },
  };
  change(copy);
  return copy;
}
type Mutable = {
  -readonly [Table in keyof Profile]: { -readonly [C in keyof Profile[Table]]: Profile[Table][C] };
};

describe('checkProfile', () => {
  test('accepts what the builder makes', () => {
    expect(() => checkProfile(GOOD())).not.toThrow();
  });

  const cases: [string, (profile: Mutable) => void, string][] = [
    [
      'a column of another length',
      (profile) => {
        profile.samples.cpu = Int32Array.of(0);
      },
      'samples.cpu.length: expected 3, found 1',
    ],
    [
      'a child before its parent',
      (profile) => {
        profile.stacks.prefix = Int32Array.of(1, -1, -1);
      },
      'stacks.prefix[0]: expected −1 or an earlier row (below 0), found 1',
    ],
    [
      'the same path twice',
      (profile) => {
        profile.stacks.frame = Int32Array.of(0, 1, 0);
      },
      'stacks row 2: expected distinct rows, found row 0 again',
    ],
    [
      'a sample whose stack does not exist',
      (profile) => {
        profile.samples.stack = Int32Array.of(1, 1, 9);
      },
      'samples.stack[2]: expected an index from -1 to 2, found 9',
    ],
    [
      'time that goes back',
      (profile) => {
        profile.samples.timeNs = Float64Array.of(0, 2e6, 1e6);
      },
      'samples.timeNs[2]: expected at least 2000000, found 1000000',
    ],
    [
      'a period that is not a number',
      (profile) => {
        profile.samples.periodEvents = Float64Array.of(1, Number.NaN, 1);
      },
      'samples.periodEvents[1]: expected a number, 0 or more, found NaN',
    ],
    [
      'a frame in another DSO than its function',
      (profile) => {
        profile.frames.dso = Int32Array.of(0, -1, 0);
      },
      "frames.dso[1]: expected its func's DSO 0, found -1",
    ],
    [
      'an address beyond what a number holds exactly',
      (profile) => {
        profile.frames.address = Float64Array.of(0, 2 ** 60, 1);
      },
      'frames.address[1]: expected a safe integer',
    ],
    [
      'an unresolved frame',
      (profile) => {
        profile.frames.func = Int32Array.of(0, -1, 0);
      },
      'frames.func[1]: expected an index from 0 to 2, found -1',
    ],
  ];

  test.each(cases)('refuses %s, and says where', (_, change, message) => {
    expect(() => checkProfile(broken(change))).toThrow(message);
  });
});
