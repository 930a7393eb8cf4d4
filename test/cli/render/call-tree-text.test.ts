import { describe, expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { formatCallTree } from '../../../src/cli/render/call-tree-text.ts';
import { selectSamples } from '../../../src/profile/analysis/select/filter.ts';
import { computeCallNodes } from '../../../src/profile/analysis/trees/call-nodes.ts';
import { computeCallTree } from '../../../src/profile/analysis/trees/call-tree.ts';
import { funcLabel } from '../../../src/profile/func-label.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

function drawn(text: string, leastShare: number): string {
  const profile = profileFromText(text);
  const tree = computeCallTree(
    profile,
    finish(computeCallNodes(profile)),
    simpleWeights(profile, 'period'),
    finish(selectSamples(profile)),
  );
  return formatCallTree(tree, (func) => funcLabel(profile, func), leastShare).join('\n');
}

describe('a call tree in the terminal', () => {
  test('the call tree prints the heaviest branches first, with their children', () => {
    const text = `
      period  2     5     3
              main  main  main
              idle  work  work
                    leaf
    `;
    expect(drawn(text, 0)).toBe(
      [
        '  total    self',
        '100.00%   0.00%  main',
        ' 80.00%  30.00%  ├─ work',
        ' 50.00%  50.00%  │  └─ leaf',
        ' 20.00%  20.00%  └─ idle',
      ].join('\n'),
    );
  });

  test('branches below the limit are summed up where the tree is cut', () => {
    const text = `
      period  90    4     6
              main  main  main
              work  a     b
    `;
    expect(drawn(text, 0.1)).toBe(
      [
        '  total    self',
        '100.00%   0.00%  main',
        ' 90.00%  90.00%  ├─ work',
        ' 10.00%   0.00%  └─ … 2 smaller',
      ].join('\n'),
    );
  });

  test('cut branches whose sum is below the limit leave no line', () => {
    const text = `
      period  95    2     3
              main  main  main
              work  a     b
    `;
    expect(drawn(text, 0.1)).toBe(
      ['  total    self', '100.00%   0.00%  main', ' 95.00%  95.00%  └─ work'].join('\n'),
    );
  });

  test('the text of a stack of 30 000 frames grows with its depth, and not with its square', () => {
    const [, , ...lines] = drawn(Array(30_000).fill('down').join('\n'), 0).split('\n');
    expect(lines).toHaveLength(29_999);
    expect(lines[99]).toBe(`100.00%   0.00%  ${' '.repeat(297)}└─ down`);
    expect(lines[29_000]).toBe(`100.00%   0.00%  …${' '.repeat(299)}└─ down`);
  });
});
