import { expect, test } from 'vitest';
import type { TopOptions } from '../../../src/options/top.ts';
import { EventTables } from '../../../src/tools/top/event-tables.ts';
import { levelsOfSlice, type SliceTableKey } from '../../../src/tools/top/slice-tables.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { withScripts } from '../../helpers/with-scripts.ts';

/** Samples of three workers that run one script: in a function, in an inline cache for it, in a package below it. */
const SLICE = withScripts(
  profileFromText(`
    uv_run@node                                     uv_run@node                                     uv_run@node
    JS:*f /srv/a.js:1:1@[JIT] tid 1                 JS:*f /srv/a.js:1:1@[JIT] tid 2                 JS:*f /srv/a.js:1:1@[JIT] tid 3
                                                    Builtins_LoadIC@node                            JS:*d /srv/node_modules/d.js:1:1@[JIT] tid 3
  `),
);

function tableOf(of: SliceTableKey, options: TopOptions = {}) {
  const tables = new EventTables('cycles', 0, { withSelf: true, weight: 'samples', ...options });
  const { rows } = tables.add([levelsOfSlice(SLICE)], 0).table(of);
  return rows.filter(({ self }) => self > 0).map(({ names, self }) => [...names, self]);
}

const F = 'f /srv/a.js:1';
const D = 'd d.js:1';

test('a function of JavaScript is one row of top in whatever process it runs, V8 running it is part of it', () => {
  expect(tableOf('sym')).toEqual([
    ['[JIT]', F, 2],
    ['[JIT]', D, 1],
  ]);
});

test('top shows the frames that are asked for', () => {
  expect(tableOf('sym', { frames: 'own' })).toEqual([['[JIT]', F, 3]]);
  expect(tableOf('sym', { frames: 'all' })).toContainEqual(['node', 'Builtins_LoadIC', 1]);
});

test('files in top are those of all frames', () => {
  expect(tableOf('dso')).toEqual([
    ['[JIT]', 2],
    ['node', 1],
  ]);
});

test('the shares of whose code ran are the same in top whatever frames are shown', () => {
  for (const frames of ['all', 'javascript', 'own'] as const) {
    expect(tableOf('grouped', { frames, keys: ['category'] })).toEqual([
      ['user code', 2],
      ['dependency', 1],
    ]);
  }
});

test('code that ran before V8 named a function has the rows of the level that the table comes to', () => {
  const early = profileFromText(`
    uv_run@node
    Builtins_LoadIC@node
  `);
  const tables = new EventTables('cycles', 0, { withSelf: true, weight: 'samples' });
  const rowsAfter = (slice: typeof early) => {
    const { rows } = tables.add([levelsOfSlice(slice)], 0).table('sym');
    return rows.filter(({ self }) => self > 0).map(({ names, self }) => [...names, self]);
  };
  expect(rowsAfter(early)).toEqual([['node', 'Builtins_LoadIC', 1]]);
  const rows = rowsAfter(SLICE);
  expect(rows).toContainEqual(['[JIT]', F, 2]);
  expect(rows.filter(([dso]) => dso === 'node')).toEqual([]);
  expect(rows.reduce((sum, [, , self]) => sum + Number(self), 0)).toBe(4);
});
