import { expect, test } from 'vitest';
import {
  computeFlameGraphData,
  type FlameTree,
  type FlameView,
} from '../../src/export/flame-graph-data.ts';
import { groupByStream } from '../../src/period/streams.ts';
import { createShareEstimator } from '../../src/period/uncertainty/uncertainty.ts';
import { selectSamples } from '../../src/profile/filter.ts';
import type { EventIndex } from '../../src/profile/types.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

const PROFILE = profileFromText(`
  comm    app   app   app   app   app   sh
  tid     1     1     1     1     1     2
  period  40    30    20    1     9     10
          main  main  main  main  main  main
          work  work  read  rare  work  wait
          leaf        work        leaf
`);
const WEIGHTS = simpleWeights(PROFILE, 'period');
const estimate = (event: EventIndex) =>
  createShareEstimator({
    weights: WEIGHTS.values,
    rows: selectSamples(PROFILE, { event }),
    groups: groupByStream(PROFILE),
    event,
  });

/** The interval of the row with this name below this parent's; '' is the outermost. */
function intervalOf(names: readonly string[], view: FlameView, tree: FlameTree, path: string) {
  const paths: string[] = [];
  for (let row = 0; row < tree.prefix.length; row++) {
    const above = paths[tree.prefix[row]!];
    paths.push(`${above === undefined ? '' : `${above}/`}${names[tree.label[row]!]}`);
  }
  const row = paths.indexOf(path);
  expect(row, `${path} among ${paths.join(', ')}`).toBeGreaterThanOrEqual(0);
  const share = tree.total[row]! / view.weight;
  return { share, low: tree.low?.[row], high: tree.high?.[row] };
}

test('every frame of all threads has an interval around its share, in both trees', () => {
  const data = computeFlameGraphData(PROFILE, WEIGHTS, { estimate });
  const view = data.events[0]!.views[0]!;
  for (const tree of [view.callees, view.callers]) {
    expect(tree.low).toHaveLength(tree.prefix.length);
    expect(tree.high).toHaveLength(tree.prefix.length);
    for (let row = 0; row < tree.prefix.length; row++) {
      const share = tree.total[row]! / view.weight;
      expect(tree.low![row]).toBeLessThanOrEqual(share + 1e-5);
      expect(tree.high![row]).toBeGreaterThanOrEqual(share - 1e-5);
    }
  }
});

test('a function has the same interval in the tree of callers as in that of callees', () => {
  const data = computeFlameGraphData(PROFILE, WEIGHTS, { estimate });
  const view = data.events[0]!.views[0]!;
  const { name } = data.labels;
  const inner = intervalOf(name, view, view.callees, 'app/main/work/leaf');
  expect(intervalOf(name, view, view.callers, 'leaf')).toEqual(inner);
  expect(intervalOf(name, view, view.callers, 'leaf/work/main')).toEqual(inner);
  expect(inner.share).toBeCloseTo(49 / 110, 9);
});

test('what was pruned has none', () => {
  // read and rare, 20 and 1 of 110, are too small each and large enough together.
  const data = computeFlameGraphData(PROFILE, WEIGHTS, { estimate, minShare: 0.19 });
  const view = data.events[0]!.views[0]!;
  const { share, ...interval } = intervalOf(
    data.labels.name,
    view,
    view.callees,
    'app/main/(pruned)',
  );
  expect(share).toBeCloseTo(21 / 110, 9);
  expect(interval).toEqual({ low: null, high: null });
});

test('views of single threads have none, nor has a page without an estimator', () => {
  const { views } = computeFlameGraphData(PROFILE, WEIGHTS, { estimate }).events[0]!;
  expect(views.slice(1).map(({ callees }) => callees.low)).toEqual([undefined, undefined]);
  const without = computeFlameGraphData(PROFILE, WEIGHTS).events[0]!.views[0]!;
  expect(without.callees.low).toBeUndefined();
});
