import { describe, expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { tableColumns } from '../../../src/formats/tables/schema.ts';
import type { Profile } from '../../../src/profile/types.ts';
import { findAwaits } from '../../../src/questions/awaits.ts';
import { ownersOfStacks } from '../../../src/questions/stack-owners.ts';
import { recordingTables } from '../../../src/read/outputs/recording-tables.ts';
import { BURN, HOOK, LEAF, RESUMED, RUN, woven } from '../../helpers/async-profile.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { simpleWeights } from '../../helpers/profile-from-text.ts';
import { analysed } from '../../helpers/query-tables.ts';

/** The stack of each sample below the event loop, the outermost function first. */
function stacksOf({ samples, stacks, frames, funcs, strings }: Profile): string[] {
  return Array.from(samples.stack, (leaf) => {
    const names: string[] = [];
    for (let row = leaf; row >= 0; row = stacks.prefix[row]) {
      names.unshift(strings[funcs.name[frames.func[stacks.frame[row]]]]);
    }
    return names.filter((name) => !/^(?:node|Builtins)/.test(name)).join(' > ');
  });
}

describe('frames of functions that await', () => {
  test('the functions that await a resumed one stand above it, marked, with the places of their code', () => {
    const profile = woven([
      [[...RESUMED, LEAF, BURN], 0],
      [[...RESUMED, LEAF], 1],
      [[...RESUMED, LEAF, BURN], 0],
    ]);
    checkProfile(profile);
    const first = 'async first /a.js:6 > async middle /a.js:5 > leaf /a.js:4 > burn /a.js:2';
    expect(stacksOf(profile)).toEqual([first, 'async second /a.js:7 > leaf /a.js:4', first]);
    const { funcs, strings } = profile;
    const row = Array.from(funcs.name, (name) => strings[name]).indexOf('async middle /a.js:5');
    expect([strings[funcs.file[row]], funcs.line[row], funcs.column[row]]).toEqual([
      '/a.js',
      5,
      22,
    ]);
  });

  test('a frame stands for those that are not known of a function behind an await, and for no others', () => {
    expect(
      stacksOf(
        woven([
          [[...RESUMED, LEAF, BURN], -1],
          [[...RESUMED, 'JS:~handle /a.js:9:2'], 2],
          [[...RUN, 'Builtins_PromiseFulfillReactionJob', BURN], -1],
          [['node', 'JS:~first /a.js:6:21', LEAF], -1],
          [RESUMED, 0],
        ]),
      ),
    ).toEqual([
      '(awaiting functions not known) > leaf /a.js:4 > burn /a.js:2',
      'handle /a.js:9',
      'burn /a.js:2',
      'first /a.js:6 > leaf /a.js:4',
      '',
    ]);
  });

  test('a stack that V8 kept of another function of the microtask, as of a hook for promises, is not taken', () => {
    expect(
      stacksOf(
        woven([
          [[...RESUMED, LEAF], 3],
          [HOOK, 0],
        ]),
      ),
    ).toEqual(['(awaiting functions not known) > leaf /a.js:4', '[interpreter] > hook /h.js:1']);
  });

  test('time of turns and of system calls is put down to functions that ran', () => {
    const profile = woven([
      [[...RESUMED, LEAF, BURN], 0],
      [[...RESUMED, LEAF, BURN], -1],
    ]);
    const { outermost, author } = ownersOfStacks(profile);
    const nameOf = (func: number) => profile.strings[profile.funcs.name[func]];
    for (const stack of profile.samples.stack) {
      expect([outermost[stack], author[stack]].map(nameOf)).toEqual([
        'leaf /a.js:4',
        'burn /a.js:2',
      ]);
    }
  });

  test('the table has what ran below each resumed function by those that await it', () => {
    const profile = woven([
      [[...RESUMED, LEAF, BURN], 0],
      [[...RESUMED, LEAF], 0],
      [[...RESUMED, LEAF, BURN], 1],
      [[...RESUMED, LEAF, BURN], -1],
      [[...RUN, BURN], -1],
    ]);
    const rows = Int32Array.from({ length: profile.samples.length }, (_, row) => row);
    const asked = { profile, rows, weights: simpleWeights(profile), estimator: null };
    const nameOf = (func: number) => profile.strings[profile.funcs.name[func]];
    const table = finish(findAwaits(asked)).map(({ samples, share, resumed, awaiting }) => [
      samples,
      share,
      nameOf(resumed),
      awaiting?.map(nameOf) ?? null,
    ]);
    expect(table).toEqual([
      [2, 0.4, 'leaf /a.js:4', ['async middle /a.js:5', 'async first /a.js:6']],
      [1, 0.2, 'leaf /a.js:4', ['async second /a.js:7']],
      [1, 0.2, 'leaf /a.js:4', null],
    ]);
  });

  test('the table in SQL has the same rows, of each event', () => {
    const opened = analysed(
      woven([
        [[...RESUMED, LEAF, BURN], 0],
        [[...RESUMED, LEAF], 0],
        [[...RESUMED, LEAF, BURN], -1],
        [[...RUN, BURN], -1],
      ]),
    );
    const { columns, length } = recordingTables(opened, { name: 'x' }).awaits;
    const names = tableColumns('awaits').slice(1);
    const rows = Array.from({ length }, (_, row) =>
      Object.fromEntries(names.map(({ name }, column) => [name, columns[column][row]])),
    );
    const resumed = { event: 0, func: 'leaf /a.js:4', file: '/a.js', line: 4 };
    expect(rows).toMatchObject([
      { ...resumed, awaited_by: 'middle < first', samples: 2, weight: 2, share: 0.5 },
      { ...resumed, awaited_by: null, samples: 1, weight: 1, share: 0.25 },
    ]);
  });
});
