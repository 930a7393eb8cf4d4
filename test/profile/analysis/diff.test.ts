import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { computeCallNodes } from '../../../src/profile/analysis/call-nodes.ts';
import { computeCallTree } from '../../../src/profile/analysis/call-tree.ts';
import { compareShares, diffTrees } from '../../../src/profile/analysis/diff.ts';
import { funcLabel } from '../../../src/profile/func-label.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

const NAMES = ['hot', 'same', 'gone', 'little', 'a'];
const row = (name: string, selfShare: number, half?: number) => ({
  id: NAMES.indexOf(name),
  name,
  dso: 'app',
  selfShare,
  ...(half !== undefined && {
    selfInterval: { low: selfShare - half, high: selfShare + half },
  }),
});
const NOTHING = { low: 0, high: 0.01 };

describe('changes between two recordings', () => {
  it('are differences of shares, largest first, with the errors of both added in squares', () => {
    const changes = finish(
      compareShares(
        [row('hot', 0.5, 0.03), row('same', 0.3, 0.03)],
        [row('hot', 0.3, 0.04), row('same', 0.31, 0.04)],
        NOTHING,
        NOTHING,
      ),
    );
    expect(changes.map(({ name, isCertain }) => [name, isCertain])).toEqual([
      ['hot', true],
      ['same', false],
    ]);
    expect(changes[0].delta).toBeCloseTo(0.2);
    expect(changes[0].interval!.low).toBeCloseTo(0.15);
    expect(changes[0].interval!.high).toBeCloseTo(0.25);
  });

  it('a diff bounds functions without a sample', () => {
    const [gone, little] = finish(
      compareShares([], [row('gone', 0.2, 0.02)], NOTHING, NOTHING),
    ).concat(finish(compareShares([row('little', 0.005, 0.004)], [], NOTHING, NOTHING)));
    expect(gone).toMatchObject({ share: 0, otherShare: 0.2, delta: -0.2, isCertain: true });
    expect(little).toMatchObject({ otherShare: 0, isCertain: false });
  });

  it('are certain against all rows that are compared, not one at a time', () => {
    // 2.2 standard deviations: one row in 36 is so far off by chance.
    const change = (id: number) => ({ ...row('a', 0.4 + 0.0224, 0.02), id });
    const other = (id: number) => ({ ...row('a', 0.4, 0), id });
    const certainOf = (count: number) => {
      const ids = Array.from({ length: count }, (_, id) => id);
      const changes = finish(compareShares(ids.map(change), ids.map(other), NOTHING, NOTHING));
      return changes.filter(({ isCertain }) => isCertain).length;
    };
    expect(certainOf(1)).toBe(1);
    expect(certainOf(20)).toBe(0);
  });

  it('are certain in spite of many other rows where they are large enough', () => {
    const ids = Array.from({ length: 500 }, (_, id) => id);
    const noise = ids.map((id) => ({ ...row('a', 0.001, 0.001), id }));
    const changes = finish(
      compareShares(
        [...noise, { ...row('hot', 0.5, 0.03), id: 1000 }],
        [...noise, { ...row('hot', 0.2, 0.03), id: 1000 }],
        NOTHING,
        NOTHING,
      ),
    );
    const certain = changes.filter(({ isCertain }) => isCertain);
    expect(certain.map(({ name }) => name)).toEqual(['hot']);
  });

  it('are uncertain where the model gives no interval', () => {
    const [change] = finish(compareShares([row('a', 0.9)], [row('a', 0.1)], null, null));
    expect(change).toMatchObject({ interval: null, isCertain: false });
  });

  it('add up functions of the same name and DSO', () => {
    const [change] = finish(compareShares([row('a', 0.2), row('a', 0.1)], [], NOTHING, NOTHING));
    expect(change.share).toBeCloseTo(0.3);
  });
});

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
    const diff = finish(diffTrees(renamed, treeOf(other), groupOf(other)));
    const rows = Array.from(diff.tree.group, (group, at) => [
      names[group],
      diff.tree.total[at],
      diff.delta[at],
      diff.otherShare[at],
    ]);
    expect(rows).toEqual([
      ['main', 1, 0, 1],
      ['work', 0.625, 0.25, 0.5],
      ['gone', 0.125, 0.25, 0],
      ['fresh', 0.25, -0.5, 0.5],
    ]);
  });

  it('samples without a stack have the mean of both trees', () => {
    // One of four here, none of two there.
    const some = profileFromText(`
      main  main  main  -
    `);
    const { tree } = finish(
      diffTrees(treeOf(some), treeOf(other), new Int32Array(other.funcs.length)),
    );
    expect([tree.withoutStack, tree.weight, tree.samples]).toEqual([0.125, 1, 6]);
  });
});
