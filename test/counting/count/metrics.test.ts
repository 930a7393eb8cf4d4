import { describe, expect, it } from 'vitest';
import type { GroupMember, Metric } from '../../../src/counting/count/metric.ts';
import { wholeOf } from '../../../src/counting/count/metric-ratios.ts';
import { groupMetrics } from '../../../src/counting/count/metrics.ts';
import { sharesOfSlots } from '../../../src/counting/count/metrics-topdown.ts';

/** Members as `role: count`, each one second on its counter. */
function group(counts: Record<string, number | null>, domain = ''): GroupMember[] {
  return Object.entries(counts).map(([role, value]) => ({
    role,
    domain,
    value,
    counted: value ?? 0,
    runningNs: 1e9,
  }));
}

/** `name=value` per member, unknown ones as their reason. */
function draw(members: readonly GroupMember[], elapsedNs = 2e9, slotsPerCycle = 4): string[] {
  return groupMetrics(members, { elapsedNs, slotsPerCycle }).map((metrics, i) =>
    [members[i]?.role, ...metrics.map(drawMetric)].join(' '),
  );
}

function drawMetric({ name, value, hint, reason }: Metric): string {
  const number = value === null ? `null(${reason})` : String(Number(value.toPrecision(6)));
  return `${name}=${number}${hint === null ? '' : `[${hint}]`}`;
}

describe('metrics of a group', () => {
  it('metrics of a group are IPC, frequency, a bound of stalls, miss shares and misses per 1000 instructions', () => {
    const counts = { cycles: 4e9, instructions: 3e9, branches: 5e8, 'branch-misses': 1e7 };
    expect(draw(group(counts))).toEqual([
      'cycles ghz=4 stall-lower-bound=0.25[at least: bursts are hidden]',
      'instructions ipc=0.75',
      'branches per-second=500000000',
      'branch-misses miss-share=0.02 mpki=3.33333',
    ]);
  });

  it.each([
    [4e9, 'ipc=4[compute-bound]'],
    [3e9, 'ipc=3[compute-bound]'],
    [2e9, 'ipc=2'],
    [5e8, 'ipc=0.5[may wait for memory]'],
  ])('metrics put %d instructions in 10⁹ cycles into a band, as a hint', (instructions, ipc) => {
    expect(draw(group({ instructions, cycles: 1e9 }))[0]).toBe(`instructions ${ipc}`);
  });

  it('metrics without cycles are null, not 0', () => {
    expect(draw(group({ cycles: 0, instructions: 0 }))).toEqual([
      'cycles ghz=0 stall-lower-bound=null(no cycles were counted)',
      'instructions ipc=null(no cycles were counted)',
    ]);
  });

  it('metrics never find a negative stall: more than one instruction a cycle hides all of them', () => {
    expect(draw(group({ cycles: 1e9, instructions: 3e9 }))[0]).toContain('stall-lower-bound=0[');
  });

  it('metrics take the stalls that the CPU counts in place of the bound', () => {
    const counts = { cycles: 1e9, instructions: 5e8, 'stalled-cycles-backend': 3e8 };
    expect(draw(group(counts))).toEqual([
      'cycles ghz=1',
      'instructions ipc=0.5[may wait for memory]',
      'stalled-cycles-backend stalled-share=0.3',
    ]);
  });

  it('compare only what counted the same part of the program', () => {
    const members = [...group({ cycles: 1e9 }), ...group({ instructions: 1e9 }, 'u')];
    expect(draw(members)).toEqual(['cycles ghz=1', 'instructions per-second=1000000000']);
  });

  it('the frequency is null where part of the time was not counted', () => {
    expect(draw(group({ cycles: 1e9 }, 'u'))).toEqual(['cycles']);
  });

  it('relate clocks to the wall, energy to time, everything else to its own time', () => {
    expect(draw(group({ 'task-clock': 1e9, energy: 30, 'page-faults': 500 }))).toEqual([
      'task-clock cpus-utilised=0.5',
      'energy watts=15',
      'page-faults per-second=500',
    ]);
  });

  it('metrics of uncounted events are left out', () => {
    expect(draw(group({ cycles: null, instructions: 5 }))).toEqual([
      'cycles',
      'instructions ipc=null(no cycles were counted)',
    ]);
  });
});

describe('what could have missed', () => {
  it.each([
    ['branch-misses', 'branches'],
    ['cache-misses', 'cache-references'],
    ['L1-dcache-load-misses', 'L1-dcache-loads'],
    ['LLC-store-misses', 'LLC-stores'],
    ['L1-dcache-prefetch-misses', 'L1-dcache-prefetches'],
    ['instructions', null],
  ])('the base of the miss share of %s is %s', (misses, whole) => {
    expect(wholeOf(misses)).toBe(whole);
  });
});

describe('top-down level 1', () => {
  const of = (counts: Record<string, number>, slots: number | null = null) =>
    sharesOfSlots((role) => counts[role] ?? null, slots);

  it('top-down level 1 comes from metric counters since Ice Lake', () => {
    const counts = {
      slots: 1000,
      'topdown-retiring': 400,
      'topdown-bad-spec': 100,
      'topdown-fe-bound': 200,
      'topdown-be-bound': 300,
    };
    expect(of(counts)).toEqual({
      'topdown-retiring': 0.4,
      'topdown-bad-speculation': 0.1,
      'topdown-frontend-bound': 0.2,
      'topdown-backend-bound': expect.closeTo(0.3, 9),
    });
  });

  it('top-down level 1 comes from slots and bubbles before Ice Lake', () => {
    const counts = {
      'topdown-total-slots': 1000,
      'topdown-slots-issued': 550,
      'topdown-slots-retired': 500,
      'topdown-fetch-bubbles': 150,
      'topdown-recovery-bubbles': 50,
    };
    expect(of(counts)).toEqual({
      'topdown-retiring': 0.5,
      'topdown-bad-speculation': 0.1,
      'topdown-frontend-bound': 0.15,
      'topdown-backend-bound': expect.closeTo(0.25, 9),
    });
  });

  it('top-down level 1 comes from stalled slots on arm64', () => {
    const counts = {
      cycles: 100,
      stall_slot_frontend: 80,
      stall_slot_backend: 120,
      op_retired: 150,
      op_spec: 200,
    };
    expect(of(counts, 4)).toEqual({
      'topdown-retiring': 0.375,
      'topdown-bad-speculation': 0.125,
      'topdown-frontend-bound': 0.2,
      'topdown-backend-bound': expect.closeTo(0.3, 9),
    });
    expect(of(counts)).toBeNull();
  });

  it('top-down is null where one of its events was not counted', () => {
    expect(draw(group({ 'topdown-retiring': 5 }))).toEqual([
      'topdown-retiring topdown-retiring=null(events of the method were not counted)',
    ]);
  });
});
