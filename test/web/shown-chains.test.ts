import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NONE } from '../../src/base/brand.ts';
import { mapInts } from '../../src/base/int-column.ts';
import { finish } from '../../src/base/slices.ts';
import {
  computeCallTreeWithRows,
  sumSubtrees,
} from '../../src/profile/analysis/trees/call-tree.ts';
import type { TreeParams } from '../../web/src/worker/messages/messages.ts';
import { Matchings } from '../../web/src/worker/recording/matching.ts';
import { LoadedRecording } from '../../web/src/worker/recording/recording.ts';
import { searchChains, searchTree } from '../../web/src/worker/recording/search.ts';
import { type Selected, SelectedCache } from '../../web/src/worker/recording/selected.ts';
import type { ShownTree } from '../../web/src/worker/recording/shown-tree.ts';
import { drawSelected, drawTree, intervalsOf } from '../../web/src/worker/recording/tree.ts';
import { pageOf } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { WHOLE_TREE } from '../helpers/selections.ts';

const STACK = fc.array(fc.constantFrom('main', 'a', 'b', 'c'), { maxLength: 6 });
const SAMPLES = fc.array(
  fc.record({ stack: STACK, cpu: fc.integer({ min: -1, max: 3 }), period: fc.nat(9) }),
  { minLength: 1, maxLength: 40 },
);

type Drawn = typeof SAMPLES extends fc.Arbitrary<infer Samples> ? Samples : never;

/** Everything of it selected. */
function selectedOf(drawn: Drawn): { selected: Selected; recording: LoadedRecording } {
  const depth = Math.max(1, ...drawn.map(({ stack }) => stack.length));
  const lines = Array.from({ length: depth }, (_, at) =>
    drawn.map(({ stack }) => (stack[at] ?? (at === 0 ? '-' : ' ')).padEnd(6)).join(''),
  );
  const periods = drawn.map(({ period }) => `${period}`.padEnd(6)).join('');
  const profile = profileFromText(`\nperiod  ${periods}\n        ${lines.join('\n        ')}\n`);
  const recording = new LoadedRecording(pageOf(profile, { cpu: drawn.map(({ cpu }) => cpu) }));
  const selected = finish(new SelectedCache(recording).get({ ...WHOLE_TREE, weight: 'period' }));
  return { selected, recording };
}

/** The tree by CPU, with a row for each call node. */
function wholeTree({ profile, callNodes, weights, samples }: Selected): ShownTree {
  const rootOfSample = mapInts(profile.samples.cpu, (cpu) => cpu + 1);
  const roots = { rootOfSample, count: 5 };
  const made = finish(computeCallTreeWithRows(profile, callNodes, weights, samples, roots));
  const { tree, rowOfSample } = made;
  const rootKey = 2 * profile.funcs.length;
  return {
    tree,
    key: tree.group.map((group, row) => (group === NONE ? rootKey + tree.root[row] : group)),
    samples: sumSubtrees(tree.prefix, new Float64Array(tree.selfSamples)),
    tierOf: () => 0,
    rowOfSample,
  };
}

function pathsIn({ tree, key }: ShownTree): number[][] {
  const paths: number[][] = [];
  for (let row = 0; row < tree.length; row++) {
    const above = tree.prefix[row];
    paths.push([...(above === NONE ? [] : paths[above]), key[row]]);
  }
  return paths;
}

test('shown chains equal the tree of all call nodes', () => {
  fc.assert(
    fc.property(
      SAMPLES,
      fc.nat(),
      fc.constantFrom('weight', 'name', 'time'),
      fc.constantFrom('', 'a', '/^[bc]$/'),
      fc.constantFrom(0, 0.1, 0.4),
      (drawn, place, order, search, leastPart) => {
        const { selected, recording } = selectedOf(drawn);
        const whole = wholeTree(selected);
        const matching = new Matchings(recording).get(search);
        const paths = [[], ...pathsIn(whole), [999]];
        const zoom = paths[place % paths.length];
        const params: TreeParams = {
          ...WHOLE_TREE,
          weight: 'period',
          roots: 'cpu',
          order: order,
          zoom,
          search,
          leastPart,
        };
        const part = finish(drawSelected(selected, params, matching));
        const expected = drawTree(selected, whole, params, matching);
        expect(part.result).toEqual(expected.result);
        expect(finish(intervalsOf(selected, part))).toEqual(
          finish(intervalsOf(selected, expected)),
        );
        expect(searchChains(finish(selected.chains('cpu')), matching, 'samples')).toEqual(
          searchTree(whole, whole, matching, 'samples'),
        );
      },
    ),
  );
});
