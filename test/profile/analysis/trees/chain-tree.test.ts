import fc from 'fast-check';
import { expect, test } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import { selectSamples } from '../../../../src/profile/analysis/select/filter.ts';
import { computeCallNodes } from '../../../../src/profile/analysis/trees/call-nodes.ts';
import { computeCallTreeWithRows } from '../../../../src/profile/analysis/trees/call-tree.ts';
import { computeChainTree } from '../../../../src/profile/analysis/trees/chain-tree.ts';
import { openChains, prepareOpening } from '../../../../src/profile/analysis/trees/open-chains.ts';
import { preparePruning } from '../../../../src/profile/analysis/trees/prune-tree.ts';
import type { EventIndex, Profile, Weights } from '../../../../src/profile/types.ts';
import { profileFromText, simpleWeights } from '../../../helpers/profile-from-text.ts';

/** Samples' stacks as text, outermost first; empty: none. */
const STACK = fc.array(fc.constantFrom('main', 'a', 'b', 'c'), { maxLength: 7 });
const SAMPLES = fc.array(
  fc.record({ stack: STACK, root: fc.nat(3), weight: fc.double({ min: 0, max: 9, noNaN: true }) }),
  { minLength: 1, maxLength: 30 },
);

function profileOf(stacks: readonly (readonly string[])[]): Profile {
  const depth = Math.max(1, ...stacks.map(({ length }) => length));
  const lines = Array.from({ length: depth }, (_, at) =>
    stacks.map((stack) => (stack[at] ?? (at === 0 ? '-' : ' ')).padEnd(6)).join(''),
  );
  const event = 0 as EventIndex;
  return profileFromText(`\n${lines.join('\n')}\n`, {}, [
    { event, lostRecords: 1, lostSamples: 0 },
  ]);
}

function bothTrees(profile: Profile, weights: Weights, rootOfSample: Int32Array) {
  const callNodes = finish(computeCallNodes(profile));
  const samples = finish(selectSamples(profile));
  const roots = { rootOfSample, count: 5 };
  const whole = finish(computeCallTreeWithRows(profile, callNodes, weights, samples, roots));
  const { tree, chainOfSample } = finish(
    computeChainTree(profile, callNodes, weights, samples, roots),
  );
  return { whole, openable: finish(prepareOpening(tree, callNodes)), chainOfSample };
}

test('functions that only call one another share a row', () => {
  const profile = profileFromText(`
    period  6      4
            main   main
            serve  serve
            parse  write
                   flush
  `);
  const { openable } = bothTrees(profile, simpleWeights(profile, 'period'), Int32Array.of(3, 3));
  const { rows, root, prefix, total } = openable.tree;
  expect([...rows]).toEqual([1, 2, 1, 2]);
  expect([...root]).toEqual([3, -1, -1, -1]);
  expect([...prefix]).toEqual([-1, 0, 1, 1]);
  expect([...total]).toEqual([10, 10, 6, 4]);
  expect([...openable.rowsBelow]).toEqual([6, 5, 1, 2]);

  const part = openChains(openable, new Set([0, 1]));
  expect([...part.tree.total]).toEqual([10, 10, 10, 6, 4]);
  expect([...part.tree.prefix]).toEqual([-1, 0, 1, 2, 2]);
  expect([...part.rowsBelow]).toEqual([6, 5, 4, 1, 2]);
  expect([...part.chain]).toEqual([0, 1, 1, 2, 3]);
});

test('all chains opened are the call tree, row for row', () => {
  fc.assert(
    fc.property(SAMPLES, fc.boolean(), (drawn, isLost) => {
      const profile = profileOf(drawn.map(({ stack }) => stack));
      const weights = {
        ...simpleWeights(profile, 'samples'),
        values: Float64Array.from(drawn, ({ weight }) => weight),
        ...(isLost && { lostBefore: Float64Array.from(drawn, ({ root }) => root) }),
      };
      const { whole, openable, chainOfSample } = bothTrees(
        profile,
        weights,
        Int32Array.from(drawn, ({ root }) => root),
      );
      const all = new Set(openable.tree.prefix.keys());
      const opened = openChains(openable, all);
      expect(opened.tree).toEqual(whole.tree);
      expect(opened.callNode).toEqual(whole.callNode);
      expect(opened.rowsBelow).toEqual(preparePruning(whole.tree).rowsBelow);
      const innermost = new Map(Array.from(opened.chain, (chain, row) => [chain, row]));
      expect(chainOfSample.map((chain) => innermost.get(chain) ?? -1)).toEqual(whole.rowOfSample);
    }),
  );
});

test('there are at most two chains for each stack of each root, and one for the root', () => {
  fc.assert(
    fc.property(SAMPLES, (drawn) => {
      const profile = profileOf(drawn.map(({ stack }) => stack));
      const rootOfSample = Int32Array.from(drawn, ({ root }) => root);
      const { openable } = bothTrees(profile, simpleWeights(profile), rootOfSample);
      const stacks = new Set(drawn.map(({ root, stack }) => `${root} ${stack.join()}`)).size;
      expect(openable.tree.length).toBeLessThanOrEqual(2 * stacks + new Set(rootOfSample).size);
    }),
  );
});
