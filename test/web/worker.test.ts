import { describe, expect, it } from 'vitest';
import { encodePageData } from '../../src/formats/export/page-data.ts';
import type { DiffMeasure } from '../../src/profile/analysis/diff-measure.ts';
import type { EventIndex, Profile, Weights } from '../../src/profile/types.ts';
import { MAX_ROWS, type TreeResult } from '../../web/src/worker/messages/messages.ts';
import { type Answers, createAnswers } from '../helpers/page-answers.ts';
import { pageOf } from '../helpers/page-of.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { WHOLE as ALL, WHOLE_TREE as TREE } from '../helpers/selections.ts';

const PROFILE = profileFromText(`
  tid     1     1     1     2                       2
  comm    app   app   app   job                     job
  period  4     3     2     1                       8
          main  main  main  main                    main
          work  work  idle  work                    work
          leaf              read@[kernel.kallsyms]  leaf
`);

function opened(profile: Profile = PROFILE, other?: Profile): Answers {
  const answers = createAnswers();
  answers.open({ slot: 0, side: 'here', bytes: encodePageData(pageOf(profile)) });
  if (other !== undefined)
    answers.open({ slot: 1, side: 'there', bytes: encodePageData(pageOf(other)) });
  return answers;
}

/** `  work 16/3`: total and self, indented by depth. */
function draw({ rows, labels }: TreeResult, parent = -1, indent = ''): string[] {
  const lines: string[] = [];
  for (let row = 0; row < rows.prefix.length; row++) {
    if (rows.prefix[row] !== parent) continue;
    const name = rows.folded[row] > 0 ? `(${rows.folded[row]})` : labels.name[rows.label[row]];
    lines.push(`${indent}${name} ${rows.total[row]}/${rows.self[row]}`);
    lines.push(...draw({ rows, labels } as TreeResult, row, `${indent}  `));
  }
  return lines;
}

const keyOf = (tree: TreeResult, name: string): number =>
  tree.labels.key[tree.labels.name.indexOf(name)];

describe('the tree that the worker sends', () => {
  it('the tree has self and total of the selected samples', () => {
    expect(draw(opened().tree(TREE))).toEqual([
      'main 18/0',
      '  work 16/3',
      '    leaf 12/12',
      '    read 1/1',
      '  idle 2/2',
    ]);
    expect(draw(opened().tree({ ...TREE, threads: [1] }))).toEqual([
      'main 9/0',
      '  work 9/0',
      '    leaf 8/8',
      '    read 1/1',
    ]);
    expect(opened().tree({ ...TREE, fromNs: 1e6, toNs: 3e6 }).weight).toBe(5);
  });

  it.each([
    ['comm', ['app 9/0', 'job 9/0']],
    ['thread', ['app (tid 1) 9/0', 'job (tid 2) 9/0']],
    ['process', ['app (pid 1) 9/0', 'job (pid 2) 9/0']],
    ['cpu', ['CPU 0 18/0']],
  ] as const)('the tree has rows by %s at the root', (roots, expected) => {
    const lines = draw(opened().tree({ ...TREE, roots }));
    expect(lines.filter((line) => !line.startsWith(' '))).toEqual(expected);
  });

  it("[lost] is a block of its own in the worker's tree", () => {
    const lossy = profileFromText(
      `
        tid     1      1      2
        period  10     20     30
                main   main   main
                work   idle   work
      `,
      {},
      [{ event: 0 as EventIndex, lostRecords: 3, lostSamples: 4 }],
    );
    const weights: Weights = {
      kind: 'events',
      unit: 'events',
      values: Float64Array.of(10, 20, 30),
      lostBefore: Float64Array.of(0, 40, 0),
    };
    const page = { ...pageOf(lossy), weights: { events: weights }, firstWeight: 'events' as const };
    const answers = createAnswers();
    answers.open({ slot: 0, side: 'here', bytes: encodePageData(page) });
    const events = { ...TREE, weight: 'events' } as const;
    const tree = answers.tree(events);
    expect(draw(tree)).toEqual(['main 60/0', '  work 40/40', '  idle 20/20', '[lost] 40/40']);
    expect(tree.weight).toBe(100);
    expect(tree.labels.kind[tree.labels.name.indexOf('[lost]')]).toBe('lost');
    expect(draw(answers.tree({ ...events, inverted: true }))).toContain('[lost] 40/40');
    const byThread = draw(answers.tree({ ...events, roots: 'thread' }));
    expect(byThread.filter((line) => !line.startsWith(' '))).toContain('[lost] 40/40');
    // The samples were lost before one of the other thread.
    expect(draw(answers.tree({ ...events, threads: [1] }))).toEqual(['main 30/0', '  work 30/30']);
  });

  it('the inverted tree shows callers where it is inverted, and zooms into them', () => {
    const answers = opened();
    const callers = answers.tree({ ...TREE, inverted: true });
    expect(draw(callers)).toEqual([
      'leaf 12/0',
      '  work 12/0',
      '    main 12/12',
      'work 3/0',
      '  main 3/3',
      'idle 2/0',
      '  main 2/2',
      'read 1/0',
      '  work 1/0',
      '    main 1/1',
    ]);
    const zoom = [keyOf(callers, 'leaf'), keyOf(callers, 'work')];
    const zoomed = answers.tree({ ...TREE, inverted: true, zoom });
    expect(draw(zoomed)).toEqual(['main 12/12']);
    expect(zoomed).toMatchObject({ zoomWeight: 12, weight: 18 });
    expect(zoomed.zoom.map(({ name, total }) => [name, total])).toEqual([
      ['leaf', 12],
      ['work', 12],
    ]);
  });

  it('a zoom path is followed as far as it exists', () => {
    const whole = opened().tree(TREE);
    const zoom = [keyOf(whole, 'main'), keyOf(whole, 'work'), 12_345];
    const zoomed = opened().tree({ ...TREE, zoom });
    expect(zoomed.zoom.map(({ name }) => name)).toEqual(['main', 'work']);
    expect(draw(zoomed)).toEqual(['leaf 12/12', 'read 1/1']);
  });

  it('the tree orders siblings by name and by first occurrence', () => {
    const byName = draw(opened().tree({ ...TREE, order: 'name' }));
    expect(byName[1]).toBe('  idle 2/2');
    const byTime = draw(opened().tree({ ...TREE, order: 'time' }));
    expect(byTime.filter((line) => /^ {2}\w/.test(line))).toEqual(['  work 16/3', '  idle 2/2']);
  });

  it('the tree folds what is narrower than asked for, but keeps what a search matches', () => {
    const answers = opened();
    const folded = answers.tree({ ...TREE, leastPart: 0.12 });
    expect(draw(folded)).toEqual(['main 18/0', '  work 16/3', '    leaf 12/12']);
    expect(folded).toMatchObject({ allRows: 5, foldedRows: 2, foldedWeight: 3 });
    const found = answers.tree({ ...TREE, leastPart: 0.12, search: 'READ' });
    expect(draw(found)).toContain('    read 1/1');
    expect(found.labels.name.filter((_, label) => found.labels.isMatch[label] === 1)).toEqual([
      'read',
    ]);
  });

  it('the tree is never larger than the page can draw', () => {
    const stacks = Array.from({ length: 6 }, (_, depth) =>
      Array.from({ length: 2000 }, (_, i) => `f${depth}_${i}`.padEnd(9)).join(' '),
    );
    const tree = opened(profileFromText(`\n${stacks.join('\n')}\n`)).tree(TREE);
    expect(tree.allRows).toBe(12_000);
    expect(tree.rows.prefix.length).toBeLessThanOrEqual(MAX_ROWS);
    expect(tree.foldedRows).toBeGreaterThanOrEqual(12_000 - MAX_ROWS);
  });

  it('the tree has intervals around its shares', () => {
    const answers = opened();
    const tree = answers.tree(TREE);
    const { low, high } = answers.intervals(TREE);
    for (let row = 0; row < tree.rows.prefix.length; row++) {
      const share = tree.rows.total[row] / tree.weight;
      expect(low[row]).toBeLessThanOrEqual(share);
      expect(high[row]).toBeGreaterThanOrEqual(share);
    }
  });
});

describe('a search', () => {
  it('a search counts each sample once, and leads to every hit', () => {
    const { zoom: _zoom, leastPart: _least, ...params } = TREE;
    const answers = opened();
    const found = answers.search({ ...params, search: '/^(main|leaf)$/' });
    expect(found).toMatchObject({ weight: 18, all: 18, functions: 2, hitCount: 1, problem: null });
    const leaves = answers.search({ ...params, inverted: true, search: 'work' });
    expect(leaves).toMatchObject({ weight: 16, hitCount: 3 });
    const [first] = leaves.hits;
    const zoomed = answers.tree({ ...TREE, inverted: true, zoom: first.path });
    expect(zoomed.zoom.map(({ name }) => name)).toEqual(['leaf', 'work']);
  });
});

describe('the table', () => {
  const table = {
    ...ALL,
    sort: 'self',
    descending: true,
    filter: '',
    first: 0,
    count: 100,
  } as const;
  const figures = (params: object) =>
    opened()
      .table({ ...table, by: 'function', intervals: false, ...params })
      .rows.map(({ name, self, total }) => `${name} ${self}/${total}`);

  it('the table has self and total by function, DSO and thread', () => {
    expect(figures({})).toEqual(['leaf 12/12', 'work 3/16', 'idle 2/2', 'read 1/1', 'main 0/18']);
    expect(figures({ by: 'dso' })).toEqual(['app 17/18', '[kernel.kallsyms] 1/1']);
    expect(figures({ by: 'thread' })).toEqual(['app 1/1 9/9', 'job 2/2 9/9']);
    expect(figures({ by: 'file' })).toEqual(['[unknown] 18/18']);
  });

  it('the table is sorted and filtered', () => {
    expect(figures({ sort: 'total' })[0]).toBe('main 0/18');
    expect(figures({ sort: 'name', descending: false })[0]).toBe('idle 2/2');
    expect(figures({ filter: 'kernel' })).toEqual(['read 1/1']);
  });

  it('the table has the intervals of the report, if they are asked for', () => {
    const [leaf] = opened().table({ ...table, by: 'function', intervals: true }).rows;
    expect(leaf.selfInterval!.low).toBeLessThan(leaf.selfShare);
    expect(leaf.totalInterval!.high).toBeGreaterThan(leaf.totalShare);
  });
});

describe('the details of a function', () => {
  it('the details have an interval of their own request, that of the table', () => {
    const answers = opened();
    const func = keyOf(answers.tree(TREE), 'leaf');
    expect(answers.details({ ...ALL, func })).toMatchObject({ name: 'leaf', self: 12, total: 12 });
    const page = { sort: 'self', descending: true, filter: '', first: 0, count: 1 } as const;
    const { rows } = answers.table({ ...ALL, ...page, by: 'function', intervals: true });
    const interval = answers.selfInterval({ ...ALL, func });
    expect(interval!.high).toBeGreaterThan(rows[0].selfShare);
    expect(interval).toEqual(rows[0].selfInterval);
  });

  it('the details are none of a function that only another recording has', () => {
    const answers = opened();
    expect(answers.details({ ...ALL, func: 1000 })).toBeNull();
    expect(answers.selfInterval({ ...ALL, func: 1000 })).toBeNull();
  });
});

describe('the summary of a selection', () => {
  it('the summary is computed once for all that ask for it, and anew for another selection', () => {
    const answers = opened();
    const whole = answers.summary(ALL);
    expect(whole).toMatchObject({ weight: 18, samples: 5, unit: 'events' });
    expect(answers.summary({ ...ALL })).toBe(whole);
    expect(answers.summary({ ...ALL, threads: [1] })).toMatchObject({ weight: 9, samples: 2 });
  });
});

describe('callers and callees of a function', () => {
  it('callers and callees of a function are two trees zoomed into it', () => {
    const answers = opened();
    const func = keyOf(answers.tree(TREE), 'work');
    const { callers, callees, self, total } = answers.sandwich({ ...ALL, func, search: '' });
    expect({ self, total }).toEqual({ self: 3, total: 16 });
    expect(draw(callers)).toEqual(['main 16/16']);
    expect(draw(callees)).toEqual(['leaf 12/12', 'read 1/1']);
  });

  it('callers and callees of a function have intervals at every depth, of all rows that samples are in', () => {
    const answers = opened();
    const func = keyOf(answers.tree(TREE), 'leaf');
    const found = answers.sandwich({ ...ALL, func, search: '' });
    expect(draw(found.callers)).toEqual(['work 12/0', '  main 12/12']);
    for (const [tree, { low, high }] of [
      [found.callers, found.callerIntervals],
      [found.callees, found.calleeIntervals],
    ] as const) {
      expect(low).toHaveLength(tree.rows.total.length);
      tree.rows.total.forEach((total, row) => {
        const isKnown = tree.rows.samples[row] > 0;
        expect([low[row] <= total / tree.weight, high[row] >= total / tree.weight]).toEqual([
          isKnown,
          isKnown,
        ]);
      });
    }
  });
});

describe('a comparison', () => {
  it('a search finds functions by name, also those that only one recording has', () => {
    const other = profileFromText(`
      period  1     1
              main  main
              work  fresh
    `);
    const answers = opened(PROFILE, other);
    const diff = answers.diff({ ...ALL, by: 'share', inverted: false, zoom: [], search: '' });
    const names = diff.tree.rows.label;
    const deltas = Object.fromEntries(
      Array.from(diff.delta, (delta, row) => [diff.tree.labels.name[names[row]], delta]),
    );
    expect(deltas.fresh).toBeCloseTo(-0.5);
    expect(deltas.work).toBeCloseTo(16 / 18 - 0.5);
    const { rows, total } = answers.changes({ ...ALL, by: 'share' });
    expect(rows[0]).toMatchObject({ name: 'leaf', share: { there: 0 } });
    expect(total.absolute).toMatchObject({ here: 18, there: 2, delta: 16 });
    // A function that only the other recording has is no row of this one.
    const funcs = Object.fromEntries(rows.map(({ name, func }) => [name, func]));
    expect(funcs).toMatchObject({ leaf: keyOf(answers.tree(TREE), 'leaf'), fresh: -1 });
  });

  it('a comparison has weights as they are, or per second', () => {
    const other = profileFromText(`
      period  1     1     1
              main  main  main
              work  work  work
    `);
    const answers = opened(PROFILE, other);
    const diffBy = (by: DiffMeasure) => {
      const params = { ...ALL, by, inverted: false, zoom: [], search: '' };
      const { tree, delta, other, ...rest } = answers.diff(params);
      const row = tree.rows.label.findIndex((label) => tree.labels.name[label] === 'work');
      return { ...rest, mean: tree.rows.total[row], delta: delta[row], other: other[row] };
    };
    const absolute = diffBy('absolute');
    expect(absolute).toMatchObject({ by: 'absolute', unit: 'events' });
    expect(absolute).toMatchObject({
      here: { runs: 1, weight: 18 },
      there: { runs: 1, weight: 3 },
    });
    expect(absolute).toMatchObject({ mean: (16 + 3) / 2, delta: 13, other: 3 });
    // Samples are a millisecond apart, the first at 0.
    const perSecond = diffBy('second');
    const { seconds } = perSecond.here;
    expect(perSecond.there).toEqual({ runs: 1, weight: 1500, samples: 3, seconds: 0.002 });
    expect(perSecond).toMatchObject({ by: 'second', other: 1500, delta: 16 / seconds! - 1500 });
    expect(diffBy('share')).toMatchObject({ other: 1, here: { weight: 18 } });
  });

  it('a comparison has the mean of several recordings of a side, and what they have in common', () => {
    const slow = profileFromText(`
      period  6     6
              main  main
              work  work
    `);
    const old = profileFromText(`
      period  2     2
              main  main
              idle  fresh
    `);
    const answers = opened(PROFILE, old);
    answers.open({ slot: 2, side: 'here', bytes: encodePageData(pageOf(slow)) });
    answers.open({ slot: 3, side: 'there', bytes: encodePageData(pageOf(slow)) });
    const params = { ...ALL, by: 'absolute', inverted: false, zoom: [], search: '' } as const;
    const { tree, delta, other, here, there } = answers.diff(params);
    expect(here).toMatchObject({ runs: 2, weight: (18 + 12) / 2, samples: 7 });
    expect(there).toMatchObject({ runs: 2, weight: (4 + 12) / 2, samples: 4 });
    const at = (name: string) =>
      tree.rows.label.findIndex((label) => tree.labels.name[label] === name);
    expect([delta[at('work')], other[at('work')]]).toEqual([(16 + 12) / 2 - 12 / 2, 12 / 2]);
    expect([delta[at('fresh')], other[at('fresh')]]).toEqual([-1, 1]);
    const { rows } = answers.changes(params);
    expect(rows.find(({ name }) => name === 'leaf')?.absolute).toMatchObject({
      here: 12 / 2,
      there: 0,
    });
    // A part of one recording is not mixed with another as a whole.
    const part = answers.diff({ ...params, threads: [1] });
    expect(part.here).toMatchObject({ runs: 1, weight: 9 });
    expect(part.there).toMatchObject({ runs: 2, weight: 8 });
  });

  it("a comparison lists the other recording's events where they differ", () => {
    const other = profileFromText('event  faults\n       main');
    const ask = () =>
      opened(PROFILE, other).diff({ ...ALL, by: 'share', inverted: false, zoom: [], search: '' });
    expect(ask).toThrow('no event named cycles in the other recording, which has faults');
  });
});
