import { describe, expect, test } from 'vitest';
import {
  computeFlameGraphData,
  type FlameGraphData,
  type FlameTree,
} from '../../src/export/flame-graph-data.ts';
import type { Profile } from '../../src/profile/types.ts';
import { outdent } from '../helpers/format-tree.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

/** A page tree as a drawing: `name self/total`. */
function drawn(data: FlameGraphData, tree: FlameTree): string {
  const depth: number[] = [];
  const lines: string[][] = [];
  const roots: string[] = [];
  for (let row = 0; row < tree.prefix.length; row++) {
    const parent = tree.prefix[row] as number;
    depth[row] = parent < 0 ? 0 : (depth[parent] as number) + 1;
    const name = data.labels.name[tree.label[row] as number];
    const line = `${'  '.repeat(depth[row] as number)}${name} ${tree.self[row]}/${tree.total[row]}`;
    const block = [line];
    lines[row] = block;
    if (parent < 0) roots.push(String(row));
  }
  for (let row = tree.prefix.length - 1; row >= 0; row--) {
    const parent = tree.prefix[row] as number;
    if (parent >= 0) lines[parent]!.splice(1, 0, ...lines[row]!);
  }
  return roots.flatMap((row) => lines[Number(row)]!).join('\n');
}

const FORK = `
  comm    app   app   sh    app
  tid     1     1     2     2
  period  4     6     3     1
          main  main  main  main
          work  work  idle  rare
                leaf
`;

describe('what the page draws', () => {
  const profile = profileFromText(FORK);
  const weights = simpleWeights(profile, 'period');

  test('all threads below their comms, then the threads, heaviest first', () => {
    const data = computeFlameGraphData(profile, weights);
    const views = data.events[0]!.views;
    expect(views.map((view) => [view.title, view.weight, view.samples])).toEqual([
      ['all threads', 14, 4],
      ['app (tid 1)', 10, 2],
      ['sh (tid 2)', 4, 2],
    ]);
    expect(drawn(data, views[0]!.callees)).toBe(
      outdent(`
        app 0/11
          main 0/11
            work 4/10
              leaf 6/6
            rare 1/1
        sh 0/3
          main 0/3
            idle 3/3
      `),
    );
    expect(drawn(data, views[1]!.callers)).toBe(
      outdent(`
        work 0/4
          main 4/4
        leaf 0/6
          work 0/6
            main 6/6
      `),
    );
  });

  test('rows below the least share are left out, counted, and drawn together if large enough', () => {
    const data = computeFlameGraphData(
      profileFromText(`
        period  90    2  2  2  2  1  1
                main  a  b  c  d  e  a
                      x
      `),
      {
        kind: 'period',
        unit: 'events',
        values: Float64Array.of(90, 2, 2, 2, 2, 1, 1),
      },
      { minShare: 0.05 },
    );
    const { callees } = data.events[0]!.views[0]!;
    expect(drawn(data, callees)).toBe(
      outdent(`
        app 0/100
          main 90/90
          (pruned) 10/10
      `),
    );
    expect([callees.prunedRows, callees.prunedWeight]).toEqual([6, 10]);
  });

  test('the pruned part never gets lost: what is drawn and what is counted sum to the whole', () => {
    const names = Array.from({ length: 500 }, (_, index) => `f${index}`);
    const wide = profileFromText(names.join('  '));
    const data = computeFlameGraphData(wide, simpleWeights(wide), { minShare: 0.01 });
    for (const tree of [data.events[0]!.views[0]!.callees, data.events[0]!.views[0]!.callers]) {
      const roots = tree.total.filter((_, row) => tree.prefix[row] === -1);
      expect(roots.reduce((sum, total) => sum + total, 0)).toBe(500);
      expect(tree.prunedWeight).toBe(500);
      expect(tree.samples.at(-1)).toBe(500);
    }
  });

  test('only so many threads get a view; how many do not is said', () => {
    const data = computeFlameGraphData(profile, weights, { maxThreads: 1 });
    expect(data.events[0]!.views).toHaveLength(2);
    expect(data.events[0]!.threadsWithoutView).toBe(1);
  });

  test('losses: the larger of the two figures; an event that lost everything is shown', () => {
    const lossy: Profile = {
      ...profile,
      events: [...profile.events, { ...profile.events[0]!, name: 'page-faults' }],
      losses: [
        { event: 0 as never, lostRecords: 12, lostSamples: 31 },
        { event: 1 as never, lostRecords: 5, lostSamples: 0 },
      ],
    };
    const data = computeFlameGraphData(lossy, weights);
    expect(data.events.map((event) => [event.name, event.lostSamples])).toEqual([
      ['cycles', 31],
      ['page-faults', 5],
    ]);
  });
});
