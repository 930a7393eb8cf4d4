import { describe, expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { formatCallTree, type TreeLimits } from '../../../src/cli/render/call-tree-text.ts';
import { selectSamples } from '../../../src/profile/analysis/select/filter.ts';
import { computeCallNodes } from '../../../src/profile/analysis/trees/call-nodes.ts';
import { computeCallTree } from '../../../src/profile/analysis/trees/call-tree.ts';
import { funcLabel } from '../../../src/profile/func-label.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

function drawn(text: string, leastShare: number, limits: Partial<TreeLimits> = {}): string {
  const profile = profileFromText(text);
  const tree = computeCallTree(
    profile,
    finish(computeCallNodes(profile)),
    simpleWeights(profile, 'period'),
    finish(selectSamples(profile)),
  );
  return formatCallTree(tree, (func) => funcLabel(profile, func), { leastShare, ...limits }).join(
    '\n',
  );
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

  test('a callee that is alone is drawn no deeper once the indentation is deep', () => {
    const [, , ...lines] = drawn(Array(30_000).fill('down').join('\n'), 0).split('\n');
    expect(lines).toHaveLength(29_999);
    expect(lines[18]).toBe(`100.00%   0.00%  ${' '.repeat(54)}└─ down`);
    expect(lines[29_000]).toBe(`100.00%   0.00%  ${' '.repeat(60)}down`);
  });

  test('a tree of many rows has the heaviest', () => {
    const text = `
      period  50    30    12    8
              main  main  main  main
              a     b     c     d
    `;
    expect(drawn(text, 0, { rows: 3 })).toBe(
      [
        '  total    self',
        '100.00%   0.00%  main',
        ' 50.00%  50.00%  ├─ a',
        ' 30.00%  30.00%  └─ b',
      ].join('\n'),
    );
  });

  test('rows that only pass a call on are one line', () => {
    const text = `
      period  90       10
              main     main
              require  require
              load     load
              compile  compile
              work     other
    `;
    const isPassage = (group: number): boolean => group >= 1 && group <= 3;
    expect(drawn(text, 0, { isPassage })).toBe(
      [
        '  total    self',
        '100.00%   0.00%  main',
        '100.00%   0.00%  └─ require … 2 more',
        ' 90.00%  90.00%     ├─ work',
        ' 10.00%  10.00%     └─ other',
      ].join('\n'),
    );
  });

  test('lines of a deep tree fit a terminal', () => {
    const depth = 60;
    const rows = Array.from({ length: depth }, (_, at) => `              function_${at}`);
    const lines = drawn(`\n      period  90\n${rows.join('\n')}\n`, 0, { columns: 80 }).split('\n');
    expect(lines).toHaveLength(depth + 1);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(lines.at(-1)).toMatch(/^100\.00% 100\.00% +function_59$/);
  });
});
