import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { computeCallNodes } from '../../../src/profile/analysis/call-nodes.ts';
import { computeCallTree } from '../../../src/profile/analysis/call-tree.ts';
import { diffTrees } from '../../../src/profile/analysis/diff-trees.ts';
import { funcLabel } from '../../../src/profile/func-label.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

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

  it('have the shares of both, whatever the number of samples', () => {
    const names = ['main', 'work', 'gone', 'fresh'];
    const groupOf = (profile: typeof mine) =>
      Int32Array.from({ length: profile.funcs.length }, (_, func) =>
        names.indexOf(funcLabel(profile, func)),
      );
    const mineTree = treeOf(mine);
    const groups = groupOf(mine);
    const renamed = { ...mineTree, group: mineTree.group.map((group) => groups[group]) };
    const diff = finish(
      diffTrees(renamed, treeOf(other), groupOf(other), { mine: 1 / 4, other: 1 / 2 }),
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

  it('have the weights of both as they are, too', () => {
    const { tree, delta } = finish(
      diffTrees(treeOf(mine), treeOf(mine), Int32Array.of(0, 1, 2, 3), { mine: 1, other: 0.5 }),
    );
    expect([tree.weight, tree.total[0], delta[0]]).toEqual([3, 3, 2]);
  });

  it('samples without a stack have the mean of both trees', () => {
    // One of four here, none of two there.
    const some = profileFromText(`
      main  main  main  -
    `);
    const { tree } = finish(
      diffTrees(treeOf(some), treeOf(other), new Int32Array(other.funcs.length), {
        mine: 1 / 4,
        other: 1 / 2,
      }),
    );
    expect([tree.withoutStack, tree.weight, tree.samples]).toEqual([0.125, 1, 6]);
  });
});
