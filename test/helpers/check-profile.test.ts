import { describe, expect, test } from 'vitest';
import { FUNC_CATEGORIES, type Profile, TIERS } from '../../src/profile/types.ts';
import { checkProfile } from './check-profile.ts';
import { profileFromText } from './profile-from-text.ts';

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
  test('the check accepts what the builder makes', () => {
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

  // Column, its lowest value, and how many there are to point to.
  const indexes = ({ strings, dsos, threads, events, streams, funcs, frames, stacks }: Profile) =>
    [
      ['funcs', 'name', 0, strings.length],
      ['funcs', 'dso', -1, dsos.length],
      ['funcs', 'category', 0, FUNC_CATEGORIES.length],
      ['funcs', 'file', -1, strings.length],
      ['frames', 'func', 0, funcs.length],
      ['frames', 'dso', -1, dsos.length],
      ['frames', 'tier', 0, TIERS.length],
      ['frames', 'file', -1, strings.length],
      ['stacks', 'frame', 0, frames.length],
      ['samples', 'stack', -1, stacks.length],
      ['samples', 'thread', 0, threads.length],
      ['samples', 'comm', 0, strings.length],
      ['samples', 'event', 0, events.length],
      ['samples', 'stream', -1, streams.length],
    ] as const;

  test.each(indexes(GOOD()))(
    'the check refuses rows of %s that point nowhere by %s',
    (...index) => {
      const [table, column, lowest, end] = index;
      for (const value of [lowest - 1, end]) {
        const profile = broken((copy) => {
          const tables = copy as unknown as Record<string, Record<string, Int32Array>>;
          const values = Int32Array.from(tables[table][column]);
          values[1] = value;
          tables[table][column] = values;
        });
        expect(() => checkProfile(profile)).toThrow(
          `${table}.${column}[1]: expected an index from ${lowest} to ${end - 1}, found ${value}`,
        );
      }
    },
  );

  test.each(cases)('checkProfile refuses %s, with the place', (_, change, message) => {
    expect(() => checkProfile(broken(change))).toThrow(message);
  });
});
