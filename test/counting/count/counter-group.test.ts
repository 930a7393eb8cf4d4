import { describe, expect, test } from 'vitest';
import { CounterError } from '../../../src/counting/count/counter-error.ts';
import { drawnGroup } from './drawn-counters.ts';

const KEYS = ['cycles', 'instructions'] as const;

function codeOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof CounterError) return error.code;
    throw error;
  }
  return 'nothing thrown';
}

describe('a region of interest', () => {
  test('measure counts nothing before and after the region', () => {
    const { group, counters } = drawnGroup(KEYS);
    const step = { values: [10, 20], enabledNs: 100 };
    counters.happen(step);
    const measured = group.measure(() => {
      counters.happen({ values: [3, 4], enabledNs: 50 });
      return 'done';
    });
    counters.happen(step);
    expect(measured).toEqual({
      counts: { cycles: 3n, instructions: 4n },
      raw: { cycles: 3n, instructions: 4n },
      scaled: false,
      runningShare: 1,
      enabledNs: 50,
      runningNs: 50,
      value: 'done',
      shared: false,
    });
    expect(counters.calls).toEqual(['read', 'enable', 'disable', 'read']);
  });

  test('measure counts each region from 0', () => {
    const { group, counters } = drawnGroup(KEYS);
    const once = () => counters.happen({ values: [3, 4], enabledNs: 50 });
    expect(group.measure(once).counts).toEqual({ cycles: 3n, instructions: 4n });
    expect(group.measure(once).counts).toEqual({ cycles: 3n, instructions: 4n });
  });

  test('a nested measure leaves the group enabled', () => {
    const { group, counters } = drawnGroup(KEYS);
    const outer = group.measure(() => {
      counters.happen({ values: [1, 1], enabledNs: 10 });
      const inner = group.measure(() => counters.happen({ values: [2, 3], enabledNs: 10 }));
      counters.happen({ values: [1, 1], enabledNs: 10 });
      return inner.counts;
    });
    expect(outer.counts).toEqual({ cycles: 4n, instructions: 5n });
    expect(outer.value).toEqual({ cycles: 2n, instructions: 3n });
    expect(counters.calls.filter((call) => call !== 'read')).toEqual(['enable', 'disable']);
  });

  test('measure in an enabled group leaves it enabled', () => {
    const { group, counters } = drawnGroup(KEYS);
    group.enable();
    expect(group.measure(() => 5).value).toBe(5);
    expect(counters.isEnabled).toBe(true);
  });

  test('measure of an async function ends when its promise settles, and is marked shared', async () => {
    const { group, counters } = drawnGroup(KEYS);
    let finish = (_: string) => {};
    const pending = group.measure(
      () =>
        new Promise<string>((done) => {
          finish = done;
        }),
    );
    counters.happen({ values: [5, 6], enabledNs: 10 });
    expect(counters.isEnabled).toBe(true);
    finish('late');
    const measured = await pending;
    expect(measured.counts).toEqual({ cycles: 5n, instructions: 6n });
    expect(measured.value).toBe('late');
    expect(measured.shared).toBe(true);
    expect(counters.isEnabled).toBe(false);
  });

  test('overlapping async regions keep the group enabled until both end', async () => {
    const { group, counters } = drawnGroup(KEYS);
    const finish: (() => void)[] = [];
    const wait = () => new Promise<void>((done) => finish.push(done));
    const [first, second] = [group.measure(wait), group.measure(wait)];
    counters.happen({ values: [1, 0], enabledNs: 10 });
    finish[0]?.();
    expect((await first).counts.cycles).toBe(1n);
    counters.happen({ values: [1, 0], enabledNs: 10 });
    finish[1]?.();
    expect((await second).counts.cycles).toBe(2n);
    expect(counters.isEnabled).toBe(false);
  });

  test('an exception passes through measure, and the group is disabled', async () => {
    const { group, counters } = drawnGroup(KEYS);
    const oops = new Error('oops');
    expect(() =>
      group.measure(() => {
        throw oops;
      }),
    ).toThrow(oops);
    expect(counters.isEnabled).toBe(false);
    await expect(group.measure(() => Promise.reject(oops))).rejects.toBe(oops);
    expect(counters.isEnabled).toBe(false);
  });
});

describe('reading', () => {
  test('reset is a snapshot of values and times, and scaling uses the differences', () => {
    const { group, counters } = drawnGroup(KEYS);
    group.enable();
    counters.happen({ values: [1000, 1000], enabledNs: 1000, runningNs: 100 });
    group.reset();
    expect(counters.values).toEqual([1000n, 1000n]);
    counters.happen({ values: [30, 60], enabledNs: 100, runningNs: 50 });
    expect(group.read()).toEqual({
      counts: { cycles: 60n, instructions: 120n },
      raw: { cycles: 30n, instructions: 60n },
      scaled: true,
      runningShare: 0.5,
      enabledNs: 100,
      runningNs: 50,
    });
  });

  test("values belong to keys by the kernel's id, in whatever order it lists them", () => {
    const { group, counters } = drawnGroup(['a', 'b', 'c']);
    group.enable();
    counters.happen({ values: [1, 2, 3], enabledNs: 10 });
    group.reset();
    counters.order = [2, 0, 1];
    counters.happen({ values: [10, 20, 30], enabledNs: 10 });
    expect(group.read().counts).toEqual({ a: 10n, b: 20n, c: 30n });
    const into = new Float64Array(3);
    expect(group.readInto(into)).toBe('read');
    expect([...into]).toEqual([10, 20, 30]);
  });

  test('a kernel without PERF_FORMAT_LOST has two words for each event', () => {
    const { group, counters } = drawnGroup(KEYS, { hasLost: false });
    group.enable();
    counters.happen({ values: [8, 9], enabledNs: 10 });
    expect(group.read().counts).toEqual({ cycles: 8n, instructions: 9n });
  });

  test('counts are exact in all 64 bits', () => {
    const { group, counters } = drawnGroup(KEYS);
    group.enable();
    counters.happen({ values: [2n ** 64n - 1n, 2n ** 53n + 1n], enabledNs: 10 });
    expect(group.read().counts).toEqual({ cycles: 2n ** 64n - 1n, instructions: 2n ** 53n + 1n });
  });

  test('readInto a Float64Array: since the reset, carried over 32 bits', () => {
    const { group, counters } = drawnGroup(KEYS);
    group.enable();
    counters.happen({ values: [0xffff_fff0, 1], enabledNs: 10 });
    group.reset();
    counters.happen({ values: [0x20, 2 ** 40], enabledNs: 10 });
    const into = new Float64Array(2);
    group.readInto(into);
    expect([...into]).toEqual([0x20, 2 ** 40]);
    expect(() => group.readInto(new Float64Array(1))).toThrow(RangeError);
  });

  test('a group is read in user space where possible, else by the kernel', () => {
    const { group, counters } = drawnGroup(KEYS, { mapsUserPages: true });
    group.enable();
    counters.happen({ values: [5, 2 ** 33], enabledNs: 10 });
    group.reset();
    counters.happen({ values: [2, 2 ** 33], enabledNs: 10 });
    const into = new Float64Array(2);
    expect(group.readInto(into)).toBe('read');
    counters.allowsUserReads = true;
    counters.calls.length = 0;
    into.fill(-1);
    expect(group.readInto(into)).toBe('rdpmc');
    expect([...into]).toEqual([2, 2 ** 33]);
    expect(counters.calls).toEqual(['rdpmc']);
  });
});

describe('what goes wrong has a code', () => {
  test('every method after close throws ERR_CLOSED', async () => {
    const { group, counters } = drawnGroup(KEYS, { mapsUserPages: true });
    counters.allowsUserReads = true;
    group.close();
    expect(counters.isClosed).toBe(true);
    expect(group.closed).toBe(true);
    for (const use of [
      () => group.enable(),
      () => group.disable(),
      () => group.reset(),
      () => group.read(),
      () => group.readInto(new Float64Array(2)),
      () => group.measure(() => {}),
    ]) {
      expect(codeOf(use)).toBe('ERR_CLOSED');
    }
    expect(() => group.close()).not.toThrow();
  });

  test('a group closed by its measured function throws ERR_CLOSED', () => {
    const { group } = drawnGroup(KEYS);
    expect(codeOf(() => group.measure(() => group.close()))).toBe('ERR_CLOSED');
  });

  test('a pinned group that was not scheduled reads as 0 bytes', () => {
    const { group, counters } = drawnGroup(KEYS);
    counters.bytes = 0;
    expect(codeOf(() => group.read())).toBe('ERR_NOT_SCHEDULED');
    expect(() => group.read()).toThrow(/pinned, not scheduled/);
  });

  test('a short read is an error, never 0', () => {
    const { group, counters } = drawnGroup(KEYS);
    counters.bytes = 24;
    expect(codeOf(() => group.read())).toBe('ERR_SHORT_READ');
    expect(() => group.read()).toThrow(/is 72 bytes; the kernel gave 24/);
  });

  test("a reading that lacks an event's id is an error", () => {
    const { group, counters } = drawnGroup(KEYS);
    counters.order = [0, 0];
    expect(codeOf(() => group.read())).toBe('ERR_SHORT_READ');
  });

  test('using closes the group', () => {
    const { group, counters } = drawnGroup(KEYS);
    group[Symbol.dispose]();
    expect(counters.isClosed).toBe(true);
  });
});
