import { describe, expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { computeFlatReport, type Figures } from '../../../src/profile/analysis/flat-report.ts';
import { findInseparable } from '../../../src/profile/analysis/inseparable.ts';
import {
  firstEvent,
  groupSamples,
  selectSamples,
} from '../../../src/profile/analysis/select/filter.ts';
import type {
  ShareEstimator,
  StepColumns,
} from '../../../src/profile/analysis/shares/share-steps.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { outdent } from '../../helpers/format-tree.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

function lines<Row extends Figures>(rows: readonly Row[], nameOf: (row: Row) => string): string {
  return rows
    .map((row) => `${nameOf(row)} ${row.self}/${row.total} in ${row.selfSamples}`)
    .join('\n');
}

const TWO_PROGRAMS = `
  comm    node       node       gzip       node
  tid     10         11         20         11
  period  4          6          5          1
          main       main       main@gzip  main
          work       work       copy@libc  work
          work       read@libc  read@libc  work
                                           leaf
`;

function report(text: string, event?: number) {
  const profile = profileFromText(text);
  checkProfile(profile);
  const samples = finish(selectSamples(profile, event === undefined ? {} : { event }));
  const flat = computeFlatReport(profile, simpleWeights(profile, 'period'), samples);
  const symbol = (func: number) => profile.strings[profile.funcs.name[func]];
  const dso = (index: number) => profile.dsos[index]?.name ?? 'none';
  return { profile, flat, symbol, dso };
}

describe('flat report', () => {
  test('symbols: heaviest self first, recursion counted once in total', () => {
    const { profile, flat, symbol, dso } = report(TWO_PROGRAMS);
    expect(
      lines(
        flat.bySymbol,
        (row) => `${symbol(row.func)} ${dso(profile.funcs.dso[row.func] ?? -1)}`,
      ),
    ).toBe(
      outdent(`
        read libc 11/11 in 2
        work app 4/11 in 1
        leaf app 1/1 in 1
        main app 0/11 in 0
        main gzip 0/5 in 0
        copy libc 0/5 in 0
      `),
    );
  });

  test('DSOs: a library that calls itself counts once', () => {
    const { flat, dso } = report(TWO_PROGRAMS);
    expect(lines(flat.byDso, (row) => dso(row.dso))).toBe(
      outdent(`
        libc 11/11 in 2
        app 5/11 in 2
        gzip 0/5 in 0
      `),
    );
  });

  test('shares are of the whole', () => {
    expect(report(TWO_PROGRAMS).flat.bySymbol[0]?.selfShare).toBe(11 / 16);
  });

  test('mutual recursion counts each function once', () => {
    const { flat, symbol } = report(`
      period  8
              even
              odd
              even
              odd
    `);
    expect(lines(flat.bySymbol, (row) => symbol(row.func))).toBe('odd 8/8 in 1\neven 0/8 in 0');
  });

  test('code outside every mapping has a DSO row of its own', () => {
    const { flat } = report(`
      main
      [unknown]@
    `);
    expect(flat.byDso.map((row) => [row.dso, row.self, row.total])).toEqual([
      [-1, 1, 1],
      [0, 0, 1],
    ]);
  });

  test('samples without a stack count as withoutStack', () => {
    const { flat } = report(`
      period  8     2
              main  -
    `);
    expect([flat.weight, flat.withoutStack]).toEqual([10, 2]);
    expect(flat.bySymbol.map((row) => row.selfShare)).toEqual([0.8]);
  });

  test('events are reported apart; a mixture has event −1', () => {
    const text = `
      event   cycles  page-faults  cycles
      period  100     1            50
              main    main         work
    `;
    const cycles = report(text, 0);
    expect(lines(cycles.flat.bySymbol, (row) => cycles.symbol(row.func))).toBe(
      'main 100/100 in 1\nwork 50/50 in 1',
    );
    expect(cycles.flat.event).toBe(0);
    expect(report(text, 1).flat.weight).toBe(1);
    expect(report(text).flat.event).toBe(-1);
  });

  test('a selection without samples has no rows and no shares', () => {
    const { flat } = report('main', 5);
    expect([flat.samples, flat.weight, flat.event]).toEqual([0, 0, -1]);
    expect(flat.bySymbol).toEqual([]);
  });
});

describe('selecting samples', () => {
  const profile = profileFromText(`
    tid    1  2  1  1
    event  a  a  b  a
           f  f  f  f
  `);

  test('samples are selected by event, thread, both, and time', () => {
    const select = (selection: Parameters<typeof selectSamples>[1]) => [
      ...finish(selectSamples(profile, selection)),
    ];
    expect(select({})).toEqual([0, 1, 2, 3]);
    expect(select({ event: 0 })).toEqual([0, 1, 3]);
    expect(select({ thread: 0 })).toEqual([0, 2, 3]);
    expect(select({ threads: new Set([0]) })).toEqual([0, 2, 3]);
    expect(select({ threads: new Set() })).toEqual([]);
    expect(select({ event: 0, thread: 0 })).toEqual([0, 3]);
    expect(select({ fromNs: 1e6, toNs: 3e6 })).toEqual([1, 2]);
  });

  test('outputs of one event show the first event that has samples, whichever was sampled first', () => {
    const first = (...event: readonly number[]) =>
      firstEvent({ samples: { ...profile.samples, event: Uint8Array.from(event) } });
    expect([first(1, 2, 0, 1), first(2, 2, 1, 2)]).toEqual([0, 1]);
    expect(firstEvent({ samples: { ...profile.samples, length: 0 } })).toBe(0);
  });

  test('groups keep time order', () => {
    const groups = finish(groupSamples(finish(selectSamples(profile)), profile.samples.thread, 2));
    expect(groups).toEqual({ starts: Int32Array.of(0, 3, 4), samples: Int32Array.of(0, 2, 3, 1) });
  });
});

describe('intervals of a selection', () => {
  const column = (pairs: readonly (readonly [number, number])[]): StepColumns => ({
    length: pairs.length,
    from: Int32Array.from(pairs, ([from]) => from),
    to: Int32Array.from(pairs, ([, to]) => to),
    amount: new Float64Array(pairs.length).fill(1),
  });
  // Shows what a category has collected: steps as `low`, last samples as `high`.
  const collecting: ShareEstimator = {
    isExact: false,
    lostBounds: { least: 1, most: 1 },
    intervalOfNothing: () => ({ low: 0, high: 0 }),
    steps: {
      near: [
        column([
          [0, 1],
          [2, 3],
        ]),
        column([[3, 4]]),
      ],
      far: [],
      ends: column([]),
      lone: column([]),
      shift: column([]),
      last: column([
        [1, 1],
        [4, 4],
      ]),
    },
    effectiveSamples: 5,
    intervalOf: (_, { near, last }, key) => ({ low: near[key], high: last[key] }),
    errorOfDifference: (_a, _b, { near, lastA, lastB }) => near + lastA + lastB,
  };
  const profile = profileFromText(`
    tid     1      1      2      2      2
    comm    one    one    two    two    two
    period  1      1      1      1      1
            main   main   main   main   main
            work   idle   work   idle   work
  `);
  const samples = finish(selectSamples(profile, { tids: new Set([1]) }));
  const flat = computeFlatReport(profile, simpleWeights(profile, 'period'), samples, {
    estimator: collecting,
    tables: ['bySymbol', 'byDso'],
    totals: true,
  });

  test('samples that are not selected do not widen intervals', () => {
    const name = (func: number) => profile.strings[profile.funcs.name[func]];
    const rows = flat.bySymbol.map(({ func, selfInterval, totalInterval }) => [
      name(func),
      selfInterval,
      totalInterval,
    ]);
    expect(rows).toEqual([
      ['work', { low: 1, high: 0 }, { low: 1, high: 0 }],
      ['idle', { low: 1, high: 1 }, { low: 1, high: 1 }],
      ['main', { low: 0, high: 0 }, { low: 0, high: 1 }],
    ]);
    const [row] = flat.byDso;
    expect([row?.selfInterval, row?.totalInterval]).toEqual([
      { low: 0, high: 1 },
      { low: 0, high: 1 },
    ]);
  });

  test('samples that are not selected do not change the error of a difference', () => {
    const touching = {
      ...flat,
      bySymbol: flat.bySymbol.map((row) => ({ ...row, selfInterval: { low: 0, high: 1 } })),
    };
    const [pair] = findInseparable(profile, touching, samples, collecting);
    // One step from the one to the other counts 1 for each and 2 more; one of two ends is selected.
    expect(pair?.standardError).toBe(5);
  });

  test('functions below a hundredth are compared with no other', () => {
    const touching = (selfShare: number) => ({
      ...flat,
      bySymbol: flat.bySymbol
        .slice(0, 2)
        .map((row) => ({ ...row, selfShare, selfInterval: { low: 0, high: 1 } })),
    });
    const [work, idle] = flat.bySymbol.map(({ func }) => func);
    expect(findInseparable(profile, touching(0.01), samples, collecting)).toMatchObject([
      { first: work, second: idle, difference: 0 },
    ]);
    expect(findInseparable(profile, touching(0.009), samples, collecting)).toEqual([]);
  });
});
