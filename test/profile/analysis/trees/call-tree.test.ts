import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { finish } from '../../../../src/base/slices.ts';
import { selectSamples } from '../../../../src/profile/analysis/select/filter.ts';
import { computeCallNodes } from '../../../../src/profile/analysis/trees/call-nodes.ts';
import { computeCallTree } from '../../../../src/profile/analysis/trees/call-tree.ts';
import { invertCallTree } from '../../../../src/profile/analysis/trees/invert-call-tree.ts';
import type { EventIndex, Profile } from '../../../../src/profile/types.ts';
import { checkProfile } from '../../../helpers/check-profile.ts';
import { formatTree, outdent } from '../../../helpers/format-tree.ts';
import { profileFromText, simpleWeights } from '../../../helpers/profile-from-text.ts';

function treeOf(profile: Profile, samples = finish(selectSamples(profile))) {
  checkProfile(profile);
  const weights = simpleWeights(profile, 'period');
  return computeCallTree(profile, finish(computeCallNodes(profile)), weights, samples);
}

const FORK = `
  period  4     6     3
          main  main  main
          work  work  idle
                leaf
`;

describe('call tree', () => {
  test('self is spent here, total here and below', () => {
    const profile = profileFromText(FORK);
    expect(formatTree(profile, treeOf(profile))).toBe(
      outdent(`
        main 0/13
          work 4/10
            leaf 6/6
          idle 3/3
      `),
    );
  });

  test('positions within a function are one node', () => {
    const profile = profileFromText(`
      main+4  main+8  main+4
      work+1  work+9  work+9
    `);
    expect(profile.stacks.length).toBeGreaterThan(2);
    expect(formatTree(profile, treeOf(profile))).toBe('main 0/3\n  work 3/3');
  });

  test('functions of one name in two DSOs are two nodes', () => {
    const profile = profileFromText(`
      main     main
      init@a   init@b
    `);
    expect(formatTree(profile, treeOf(profile))).toBe('main 0/2\n  init 1/1\n  init 1/1');
  });

  test('the selected samples alone count, and only what they touch has rows', () => {
    const profile = profileFromText(FORK);
    expect(formatTree(profile, treeOf(profile, Int32Array.of(2)))).toBe('main 0/3\n  idle 3/3');
  });

  test('lost weight before the selected samples is a root [lost]', () => {
    const event = 0 as EventIndex;
    const profile = profileFromText(FORK, {}, [{ event, lostRecords: 2, lostSamples: 0 }]);
    checkProfile(profile);
    const weights = {
      ...simpleWeights(profile, 'period'),
      lostBefore: Float64Array.of(100, 20, 5),
    };
    const draw = (samples: Int32Array) => {
      const tree = computeCallTree(profile, finish(computeCallNodes(profile)), weights, samples);
      return [formatTree(profile, tree), tree.lost, tree.weight, tree.samples];
    };
    const tree = 'main 0/9\n  work 0/6\n    leaf 6/6\n  idle 3/3\n[lost] 25/25';
    expect(draw(Int32Array.of(1, 2))).toEqual([tree, 25, 34, 2]);
    weights.lostBefore.fill(0);
    expect(draw(Int32Array.of(2))).toEqual(['main 0/3\n  idle 3/3', 0, 3, 1]);
  });

  test('samples without any frame are counted outside the tree', () => {
    const profile = profileFromText(`
      period  4     6
              -     main
    `);
    const tree = treeOf(profile);
    expect(formatTree(profile, tree)).toBe('main 6/6');
    expect([tree.weight, tree.withoutStack, tree.samples]).toEqual([10, 4, 2]);
  });

  test('a root row stands above the outermost frames of its samples, stackless ones included', () => {
    const profile = profileFromText(`
      period  4     6     3     2
              main  main  -     main
              work              work
    `);
    checkProfile(profile);
    const roots = { rootOfSample: Int32Array.of(1, 0, 1, 1), count: 3 };
    const tree = computeCallTree(
      profile,
      finish(computeCallNodes(profile)),
      simpleWeights(profile, 'period'),
      finish(selectSamples(profile)),
      roots,
    );
    expect(formatTree(profile, tree)).toBe(
      outdent(`
        (root 0) 0/6
          main 6/6
        (root 1) 3/9
          main 0/6
            work 6/6
      `),
    );
    expect(tree.withoutStack).toBe(0);
  });

  test('weights of another profile are refused', () => {
    const profile = profileFromText(FORK);
    const weights = { kind: 'samples', unit: 'samples', values: Float64Array.of(1) } as const;
    expect(() =>
      computeCallTree(profile, finish(computeCallNodes(profile)), weights, Int32Array.of(0)),
    ).toThrow('expected a weight for each of 3 samples, got 1');
  });
});

describe('inverted call tree', () => {
  test('roots are where weight was spent, children are their callers', () => {
    const profile = profileFromText(FORK);
    expect(formatTree(profile, finish(invertCallTree(treeOf(profile))))).toBe(
      outdent(`
        work 0/4
          main 4/4
        leaf 0/6
          work 0/6
            main 6/6
        idle 0/3
          main 3/3
      `),
    );
  });

  test('callers merge where the way up is the same', () => {
    const profile = profileFromText(`
      period  1     2     4
              main  init  main
              a     b     b
              leaf  leaf  leaf
    `);
    expect(formatTree(profile, finish(invertCallTree(treeOf(profile))))).toBe(
      outdent(`
        leaf 0/7
          a 0/1
            main 1/1
          b 0/6
            init 2/2
            main 4/4
      `),
    );
  });

  test('rows below the least weight keep their weight and get no callers', () => {
    const profile = profileFromText(FORK);
    expect(formatTree(profile, finish(invertCallTree(treeOf(profile), 5)))).toBe(
      outdent(`
        work 4/4
        leaf 0/6
          work 0/6
            main 6/6
        idle 3/3
      `),
    );
  });

  test('inversion keeps every weight: roots sum to the tree, and self to total', () => {
    const stack = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(stack, { minLength: 1, maxLength: 12 }), fc.nat(4), (stacks, least) => {
        const deepest = Math.max(...stacks.map((frames) => frames.length));
        const lines = Array.from({ length: deepest }, (_, depth) =>
          stacks.map((frames) => (frames[depth] ?? '').padEnd(3)).join(''),
        );
        const profile = profileFromText(lines.join('\n'));
        const inverted = finish(invertCallTree(treeOf(profile), least));
        const sum = (values: Iterable<number>) => [...values].reduce((a, b) => a + b, 0);
        const roots = inverted.total.filter((_, row) => inverted.prefix[row] === -1);
        expect(sum(roots)).toBe(stacks.length);
        expect(sum(inverted.self)).toBe(stacks.length);
      }),
    );
  });
});
