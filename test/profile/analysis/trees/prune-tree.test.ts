import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import { sumSubtrees } from '../../../../src/profile/analysis/trees/call-tree.ts';
import {
  nthLargest,
  type PrunedTree,
  type PruneOptions,
  preparePruning,
  pruneTree,
} from '../../../../src/profile/analysis/trees/prune-tree.ts';

function treeOf(prefix: readonly number[], self: readonly number[]): CallTree {
  const prefixes = Int32Array.from(prefix);
  const selfs = Float64Array.from(self);
  return {
    length: prefix.length,
    prefix: prefixes,
    group: Int32Array.from(prefix, (_, row) => row),
    root: new Int32Array(prefix.length).fill(-1),
    self: selfs,
    total: sumSubtrees(prefixes, selfs),
    selfSamples: Int32Array.from(self, (value) => (value > 0 ? 1 : 0)),
    weight: self.reduce((sum, value) => sum + value, 0),
    lost: 0,
    samples: self.length,
    withoutStack: 0,
  };
}

const prune = (tree: CallTree, options: Partial<PruneOptions> = {}): PrunedTree =>
  pruneTree(preparePruning(tree), {
    below: -1,
    maxRows: 5000,
    leastTotal: 0,
    compare: (a, b) => tree.total[b] - tree.total[a] || a - b,
    wanted: new Int32Array(0),
    ...options,
  });

/** `row<parent total`, folded rows as `(count)<parent total`. */
const lines = (pruned: PrunedTree): string[] =>
  Array.from(pruned.row, (row, i) => {
    const name = row < 0 ? `(${pruned.folded[i]})` : String(row);
    return `${name}<${pruned.prefix[i]} ${pruned.total[i]}`;
  });

//   0 main 100 ┬ 1 work 90 ┬ 2  2 ─ 3  1
//              │           └ 4  1
//              └ 5 wait 10
const TREE = treeOf([-1, 0, 1, 2, 1, 0], [0, 87, 1, 1, 1, 10]);

describe('a pruned tree', () => {
  it('a pruned tree folds light rows into one row of the parent, and counts all of them', () => {
    const pruned = prune(TREE, { leastTotal: 3 });
    expect(lines(pruned)).toEqual(['0<-1 100', '1<0 90', '5<0 10', '(3)<1 3']);
    expect(pruned).toMatchObject({ allRows: 6, foldedRows: 3, foldedWeight: 3 });
  });

  it('a pruned tree holds only what lies below the zoomed row', () => {
    const pruned = prune(TREE, { below: 1 });
    expect(lines(pruned)).toEqual(['2<-1 2', '4<-1 1', '3<0 1']);
    expect(pruned.allRows).toBe(3);
  });

  it('a pruned tree keeps the heaviest rows where there are too many', () => {
    expect(lines(prune(TREE, { maxRows: 4 }))).toEqual(['0<-1 100', '1<0 90', '5<0 10', '(3)<1 3']);
  });

  it('pruning keeps wanted rows with their callers, however light', () => {
    const pruned = prune(TREE, { leastTotal: 50, wanted: Int32Array.of(3) });
    expect([...pruned.row].filter((row) => row >= 0)).toEqual([0, 1, 2, 3]);
    const below = prune(TREE, { leastTotal: 50, below: 5, wanted: Int32Array.of(3) });
    expect([...below.row]).toEqual([]);
  });

  it('pruning reserves half of the kept rows for wanted ones', () => {
    const heavy = Array.from({ length: 12 }, () => 10);
    const light = Array.from({ length: 12 }, () => 1);
    const tree = treeOf(new Array(24).fill(-1), [...heavy, ...light]);
    const wanted = Int32Array.from(light, (_, i) => heavy.length + i);
    // 8 of 10 rows are kept: 4 of the wanted ones and 4 heavy ones.
    const pruned = prune(tree, { maxRows: 10, wanted });
    const kept = [...pruned.row].filter((row) => row >= 0);
    expect(kept.filter((row) => row >= heavy.length)).toEqual([12, 13, 14, 15]);
    expect(kept.filter((row) => row < heavy.length)).toEqual([0, 1, 2, 3]);
  });

  it('a pruned tree has siblings in the order asked for', () => {
    const pruned = prune(TREE, { compare: (a, b) => b - a });
    expect([...pruned.row]).toEqual([0, 5, 1, 4, 2, 3]);
  });

  it('a pruned tree is a tree of at most so many rows, whose weights add up', () => {
    const drawn = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 50 })), {
      minLength: 1,
      maxLength: 200,
    });
    fc.assert(
      fc.property(drawn, fc.integer({ min: 5, max: 60 }), (rows, maxRows) => {
        const tree = treeOf(
          rows.map(([parent], row) => (parent % (row + 1)) - 1),
          rows.map(([, self]) => self),
        );
        const pruned = prune(tree, { maxRows });
        expect(pruned.row.length).toBeLessThanOrEqual(maxRows);
        let keptSelf = 0;
        for (let i = 0; i < pruned.row.length; i++) {
          expect(pruned.prefix[i]).toBeLessThan(i);
          const row = pruned.row[i];
          if (row < 0) continue;
          keptSelf += tree.self[row];
          const parent = pruned.prefix[i];
          expect(parent < 0 ? -1 : pruned.row[parent]).toBe(tree.prefix[row]);
        }
        expect(keptSelf + pruned.foldedWeight).toBeCloseTo(tree.weight);
        expect(pruned.allRows).toBe(tree.length);
        const kept = pruned.row.filter((row) => row >= 0).length;
        expect(pruned.foldedRows).toBe(tree.length - kept);
      }),
    );
  });

  it('selecting the n-th largest agrees with sorting', () => {
    fc.assert(
      fc.property(fc.array(fc.integer(), { minLength: 1 }), fc.nat(), (values, n) => {
        const wanted = (n % values.length) + 1;
        const sorted = values.toSorted((a, b) => b - a);
        expect(nthLargest(Float64Array.from(values), wanted)).toBe(sorted[wanted - 1]);
      }),
    );
  });
});
