import { describe, expect, it } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import {
  type ComparedRun,
  compareFunctions,
  type SharedRow,
  sortChanges,
} from '../../../src/profile/analysis/compare-functions.ts';

const NAMES = ['hot', 'same', 'gone', 'little', 'a'];
const row = (name: string, share: number, half?: number): SharedRow => ({
  id: NAMES.indexOf(name),
  name,
  dso: 'app',
  path: '',
  share,
  interval: half === undefined ? null : { low: share - half, high: share + half },
});

/** A recording of so many nanoseconds, as sure of its total as of nothing else. */
function run(rows: readonly SharedRow[], total = 1e9, seconds: number | null = 1): ComparedRun {
  return {
    rows,
    nothing: { low: 0, high: 0.01 },
    total: { value: total, interval: { low: total, high: total } },
    unit: 'nanoseconds',
    seconds,
  };
}

const compare = (here: ComparedRun, there: ComparedRun) => {
  const { rows, total } = finish(compareFunctions([here], [there]));
  return { rows: sortChanges(rows, 'share'), total };
};

describe('changes of shares between two recordings', () => {
  it('changes of shares are differences, largest first, with the errors of both added in squares', () => {
    const { rows } = compare(
      run([row('hot', 0.5, 0.03), row('same', 0.3, 0.03)]),
      run([row('hot', 0.3, 0.04), row('same', 0.31, 0.04)]),
    );
    expect(rows.map(({ name, share }) => [name, share.isCertain])).toEqual([
      ['hot', true],
      ['same', false],
    ]);
    expect(rows[0].share.delta).toBeCloseTo(0.2);
    expect(rows[0].share.interval!.low).toBeCloseTo(0.15);
    expect(rows[0].share.interval!.high).toBeCloseTo(0.25);
  });

  it('changes of shares are bounded for functions without a sample', () => {
    const [gone] = compare(run([]), run([row('gone', 0.2, 0.02)])).rows;
    expect(gone.share).toMatchObject({ here: 0, there: 0.2, delta: -0.2, isCertain: true });
    const [little] = compare(run([row('little', 0.005, 0.004)]), run([])).rows;
    expect(little.share).toMatchObject({ there: 0, isCertain: false });
  });

  it('changes of shares are certain against all rows that are compared, not one at a time', () => {
    // 2.2 standard deviations: one row in 36 is so far off by chance.
    const change = (id: number) => ({ ...row('a', 0.4 + 0.0224, 0.02), id });
    const other = (id: number) => ({ ...row('a', 0.4, 0), id });
    const certainOf = (count: number) => {
      const ids = Array.from({ length: count }, (_, id) => id);
      const { rows } = compare(run(ids.map(change)), run(ids.map(other)));
      return rows.filter(({ share }) => share.isCertain).length;
    };
    expect(certainOf(1)).toBe(1);
    expect(certainOf(20)).toBe(0);
  });

  it('changes of shares are certain in spite of many other rows where they are large enough', () => {
    const ids = Array.from({ length: 500 }, (_, id) => id);
    const noise = ids.map((id) => ({ ...row('a', 0.001, 0.001), id }));
    const { rows } = compare(
      run([...noise, { ...row('hot', 0.5, 0.03), id: 1000 }]),
      run([...noise, { ...row('hot', 0.2, 0.03), id: 1000 }]),
    );
    const certain = rows.filter(({ share }) => share.isCertain);
    expect(certain.map(({ name }) => name)).toEqual(['hot']);
  });

  it('changes of shares are uncertain where the model gives no interval', () => {
    const none = { nothing: null };
    const { rows } = compare(
      { ...run([row('a', 0.9)]), ...none },
      { ...run([row('a', 0.1)]), ...none },
    );
    expect(rows[0].share).toMatchObject({ interval: null, isCertain: false });
    expect(rows[0].absolute).toMatchObject({ interval: null, isCertain: false });
  });
});

describe('changes of weights between two recordings', () => {
  // `same` takes 600 ms in both, `hot` 400 ms more than before.
  const after = run([row('hot', 0.5, 0.02), row('same', 0.5, 0.02)], 1.2e9, 2);
  const before = run([row('hot', 0.25, 0.02), row('same', 0.75, 0.02)], 0.8e9, 1);

  it('changes of weights leave alone what takes as long as before, whatever its share', () => {
    const { rows, total } = compare(after, before);
    const [hot, same] = ['hot', 'same'].map((name) => rows.find((found) => found.name === name)!);
    expect(hot.absolute).toMatchObject({ here: 0.6e9, there: 0.2e9, isCertain: true });
    expect(hot.absolute!.interval!.low).toBeCloseTo(0.4e9 - Math.hypot(0.024e9, 0.016e9), -3);
    expect(same.absolute).toMatchObject({ delta: 0, isCertain: false });
    expect(same.share.isCertain).toBe(true);
    expect(total.absolute).toMatchObject({ here: 1.2e9, there: 0.8e9, isCertain: true });
  });

  it('changes of weights are of a second where that is asked for', () => {
    const { rows, total } = compare(after, before);
    const same = rows.find(({ name }) => name === 'same')!;
    expect(same.second).toMatchObject({ here: 0.3e9, there: 0.6e9, isCertain: true });
    expect(total.second!.delta).toBeCloseTo(-0.2e9);
    expect(compare(after, { ...before, seconds: null }).rows[0].second).toBeNull();
  });

  it('changes of weights are left out between weights of several units', () => {
    const { rows, total } = compare(after, { ...before, unit: 'events' });
    expect([rows[0].absolute, rows[0].second, total.absolute]).toEqual([null, null, null]);
  });

  it('changes of weights are known no better than the totals', () => {
    const vague = { value: 1.2e9, interval: { low: 0.7e9, high: 1.6e9 } };
    const { rows, total } = compare({ ...after, total: vague }, before);
    const hot = rows.find(({ name }) => name === 'hot')!;
    expect(hot.absolute!.interval!.low).toBeCloseTo(
      0.4e9 - Math.hypot(0.024e9, 0.5 * 0.5e9, 0.016e9),
      -3,
    );
    expect(total.absolute!.isCertain).toBe(false);
  });

  it('a change below a twentieth of the row is not marked between two single recordings', () => {
    const slower = (by: number) => run([row('hot', 1, 0)], 1e9 * by);
    const isCertain = (by: number) => compare(slower(by), slower(1)).rows[0].absolute!.isCertain;
    expect([isCertain(1.04), isCertain(0.96), isCertain(1.06)]).toEqual([false, false, true]);
  });

  it('a recording has no changes to itself', () => {
    const { rows, total } = compare(after, after);
    const changes = [total.absolute, ...rows.flatMap((found) => [found.absolute, found.share])];
    expect(changes.filter((change) => change!.isCertain)).toEqual([]);
  });
});

describe('changes between several recordings a side', () => {
  const runs = (...totals: number[]) => totals.map((total) => run([row('hot', 1, 0)], total));
  const total = (here: ComparedRun[], there: ComparedRun[]) =>
    finish(compareFunctions(here, there)).total.absolute!;

  it('the interval of a change between several recordings is the spread of the recordings for an interval', () => {
    // Means 110 and 100, pooled variance 1: Student's t of 4 degrees is 2.776.
    const change = total(runs(109, 110, 111), runs(99, 100, 101));
    expect([change.here, change.there, change.isCertain]).toEqual([110, 100, true]);
    expect(change.interval!.low).toBeCloseTo(10 - 2.776 * Math.sqrt(2 / 3), 2);
    expect(total(runs(90, 110, 130), runs(80, 100, 120)).isCertain).toBe(false);
  });

  it('a change between several recordings may be small, since it is known how far recordings differ', () => {
    expect(total(runs(102.01, 102, 101.99), runs(100.01, 100, 99.99)).isCertain).toBe(true);
  });

  it('a change between several recordings takes the spread of one side where the other has one recording', () => {
    const change = total(runs(110), runs(99, 100, 101));
    expect(change.interval!.high).toBeCloseTo(10 + 4.303 * Math.sqrt(1 + 1 / 3), 2);
  });
});
