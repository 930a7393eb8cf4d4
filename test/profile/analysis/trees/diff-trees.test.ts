import { describe, expect, it } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import { computeCallNodes } from '../../../../src/profile/analysis/trees/call-nodes.ts';
import { computeCallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import { diffTrees } from '../../../../src/profile/analysis/trees/diff-trees.ts';
import { funcLabel } from '../../../../src/profile/func-label.ts';
import { profileFromText, simpleWeights } from '../../../helpers/profile-from-text.ts';

describe('two trees laid over each other', () => {
  const mine = profileFromText(`
    main  main  main  main
    work  work  work  gone
  `);
  const other = profileFromText(`
    main  main
    work  fresh
  `);
  const treeOf = (profile: typeof mine) =>
    computeCallTree(
      profile,
      finish(computeCallNodes(profile)),
      simpleWeights(profile),
      Int32Array.from(profile.samples.stack, (_, sample) => sample),
    );

  const SAME = Int32Array.of(0, 1, 2, 3);

  it('laid-over trees have the shares of both, whatever the number of samples', () => {
    const names = ['main', 'work', 'gone', 'fresh'];
    const groupOf = (profile: typeof mine) =>
      Int32Array.from({ length: profile.funcs.length }, (_, func) =>
        names.indexOf(funcLabel(profile, func)),
      );
    const diff = finish(
      diffTrees(
        [{ tree: treeOf(mine), groups: groupOf(mine), scale: 1 / 4 }],
        [{ tree: treeOf(other), groups: groupOf(other), scale: 1 / 2 }],
      ),
    );
    const rows = Array.from(diff.tree.group, (group, at) => [
      names[group],
      diff.tree.total[at],
      diff.delta[at],
      diff.other[at],
    ]);
    expect(rows).toEqual([
      ['main', 1, 0, 1],
      ['work', 0.625, 0.25, 0.5],
      ['gone', 0.125, 0.25, 0],
      ['fresh', 0.25, -0.5, 0.5],
    ]);
  });

  it('laid-over trees have the weights of both as they are, too', () => {
    const { tree, delta } = finish(
      diffTrees(
        [{ tree: treeOf(mine), groups: SAME, scale: 1 }],
        [{ tree: treeOf(mine), groups: SAME, scale: 0.5 }],
      ),
    );
    expect([tree.weight, tree.total[0], delta[0]]).toEqual([3, 3, 2]);
  });

  it('laid-over trees have the mean of several recordings of a side', () => {
    const run = (scale: number) => ({ tree: treeOf(mine), groups: SAME, scale });
    const {
      tree,
      delta,
      other: there,
    } = finish(diffTrees([run(1 / 2), run(1)], [run(1 / 2), run(1 / 4)]));
    expect([tree.weight, there[0], delta[0], tree.samples]).toEqual([4.5, 3, 3, 16]);
  });

  it('samples without a stack have the mean of both trees', () => {
    // One of four here, none of two there.
    const some = profileFromText(`
      main  main  main  -
    `);
    const { tree } = finish(
      diffTrees(
        [{ tree: treeOf(some), groups: SAME, scale: 1 / 4 }],
        [{ tree: treeOf(other), groups: new Int32Array(other.funcs.length), scale: 1 / 2 }],
      ),
    );
    expect([tree.withoutStack, tree.weight, tree.samples]).toEqual([0.125, 1, 6]);
  });
});
