import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { computeCallNodes } from '../../src/profile/analysis/trees/call-nodes.ts';
import { type CallTree, computeCallTree } from '../../src/profile/analysis/trees/call-tree.ts';
import { funcLabel } from '../../src/profile/func-label.ts';
import { growNeighbours } from '../../src/questions/neighbours.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

const PROFILE = profileFromText(`
  period  4     4     2     1     8
          main  main  idle  main  main
          work  work  work  work  other
                leaf  leaf  work
                            leaf
`);

const name = (func: number) => funcLabel(PROFILE, func);

/** `  work 10` per row, indented by depth. */
function draw(tree: CallTree, parent = -1, indent = ''): string[] {
  const lines: string[] = [];
  for (let row = 0; row < tree.length; row++) {
    if (tree.prefix[row] !== parent) continue;
    lines.push(`${indent}${name(tree.group[row])} ${tree.total[row]}`);
    lines.push(...draw(tree, row, `${indent}  `));
  }
  return lines;
}

function sandwich(wanted: string, minWeight?: number, unit = 1) {
  const weights = simpleWeights(PROFILE, 'period');
  for (let i = 0; i < weights.values.length; i++) weights.values[i] *= unit;
  const samples = Int32Array.of(0, 1, 2, 3, 4);
  const tree = computeCallTree(PROFILE, finish(computeCallNodes(PROFILE)), weights, samples);
  const isMeant = Uint8Array.from({ length: PROFILE.funcs.length }, (_, func) =>
    name(func) === wanted ? 1 : 0,
  );
  const { callers, callees } = finish(growNeighbours(tree, isMeant, minWeight));
  return { callers: callers.tree, callees: callees.tree };
}

describe('callers and callees', () => {
  it('callers and callees merge all calls of the function, recursion once', () => {
    const { callers, callees } = sandwich('work');
    expect(draw(callees)).toEqual(['work 11', '  leaf 6', '  work 1', '    leaf 1']);
    expect(draw(callers)).toEqual(['work 11', '  main 9', '  idle 2']);
  });

  it('callers and callees leave out light branches on request', () => {
    const whole = ['leaf 7', '  work 7', '    main 4', '    idle 2', '    work 1', '      main 1'];
    expect(draw(sandwich('leaf').callers)).toEqual(whole);
    expect(draw(sandwich('leaf', 2).callers)).toEqual(whole.slice(0, 5));
    const eighths = draw(sandwich('leaf', undefined, 0.125).callers);
    expect(eighths).toEqual(whole.map((line) => line.replace(/\d/, (n) => `${Number(n) / 8}`)));
  });

  it('callers and callees of an absent function are empty trees', () => {
    const { callers, callees } = sandwich('nowhere');
    expect([callers.length, callees.length]).toEqual([0, 0]);
  });
});
