import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { foldToLevel, withKinds } from '../../src/code/levels/fold-to-level.ts';
import { chooseLevel } from '../../src/code/levels/levels-of.ts';
import { KIND_GROUPS } from '../../src/formats/export/kind-group.ts';
import { computeGroupedReport } from '../../src/profile/analysis/grouped-report.ts';
import type { FrameLevel } from '../../src/profile/frame-level.ts';
import { FUNC_CATEGORIES } from '../../src/profile/types.ts';
import { LoadedRecording } from '../../web/src/worker/recording/recording.ts';
import { summarize } from '../../web/src/worker/tables/summary.ts';
import { pageOf } from '../helpers/page-of.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';
import { withScripts } from '../helpers/with-scripts.ts';

/** Samples of a Node: own code, an inline cache for it, a package below it, the collector, libc of a thread. */
const COLUMNS = [
  ['uv_run@node', 'JS:*f /srv/a.js:1:1@[JIT] 1'],
  ['uv_run@node', 'JS:*f /srv/a.js:1:1@[JIT] 1', 'Builtins_LoadIC@node'],
  ['uv_run@node', 'JS:*f /srv/a.js:1:1@[JIT] 1', 'JS:*d /srv/node_modules/d/d.js:1:1@[JIT] 1'],
  ['uv_run@node', 'JS:*f /srv/a.js:1:1@[JIT] 1', 'v8::internal::Heap::Scavenge()@node'],
  ['uv_run@node', 'node::Start(int)@node', 'memcpy@libz.so'],
];

function drawn() {
  const widths = COLUMNS.map((column) => Math.max(...column.map(({ length }) => length)) + 2);
  const lines = [0, 1, 2].map((row) =>
    COLUMNS.map((column, i) => (column[row] ?? '').padEnd(widths[i]))
      .join('')
      .trimEnd(),
  );
  return withKinds(withScripts(profileFromText(lines.join('\n'))));
}

/** The page's shares of a selection at a level. */
function pageShares(level: FrameLevel) {
  const page = { ...pageOf(drawn()), firstFrames: 'javascript' as const };
  const recording = new LoadedRecording(page);
  const profile = recording.profileAt(level);
  const weights = simpleWeights(profile, 'samples');
  const samples = Int32Array.from({ length: profile.samples.length }, (_, i) => i);
  const selected = { recording, profile, samples, weights } as Parameters<typeof summarize>[0];
  const { byGroup, belowOwn } = finish(summarize(selected));
  const shares = FUNC_CATEGORIES.flatMap((category, row) =>
    byGroup[row] > 0 ? [[category, byGroup[row]] as const] : [],
  );
  return { shares: Object.fromEntries(shares), belowOwn };
}

test('the share of each owner is the same at every level of the page', () => {
  const expected = {
    shares: { 'user code': 2, dependency: 1, GC: 1, native: 1 },
    belowOwn: 4,
  };
  for (const level of ['all', 'javascript', 'own'] as const) {
    expect(pageShares(level), level).toEqual(expected);
  }
});

test('the shares of the page are those of a report by category', () => {
  const level = chooseLevel(drawn());
  const profile = foldToLevel(drawn(), level);
  const weights = simpleWeights(profile, 'samples');
  const samples = Int32Array.from({ length: profile.samples.length }, (_, i) => i);
  const { rows } = computeGroupedReport(profile, weights, samples, ['category']);
  const selfs = rows.filter(({ self }) => self > 0).map(({ names, self }) => [names[0], self]);
  expect(level).toBe('javascript');
  expect(Object.fromEntries(selfs)).toEqual(pageShares('all').shares);
  const own = rows.find(({ names }) => names[0] === 'user code');
  expect(own?.total).toBe(pageShares('own').belowOwn);
});

test('the groups of the page are the categories, row by row', () => {
  expect(KIND_GROUPS).toHaveLength(FUNC_CATEGORIES.length);
  expect(KIND_GROUPS[FUNC_CATEGORIES.indexOf('GC')]).toBe('gc');
});
