import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/base/errors.ts';
import { parseSimulationSpec } from '../../../src/cli/periods/simulate.ts';
import { perfTs } from '../../helpers/cli.ts';

test('a specification is rates over time', () => {
  expect(
    parseSimulationSpec('1.5M/s for 100ms, idle for 20us,sleep for 2s , 250/s for 5ns'),
  ).toEqual([
    { durationNs: 100e6, eventsPerSecond: 1.5e6 },
    { durationNs: 20e3, eventsPerSecond: 0 },
    { durationNs: 2e9, eventsPerSecond: 0, isAsleep: true },
    { durationNs: 5, eventsPerSecond: 250 },
  ]);
});

test.each([
  ['', "'' is not 'RATE/s for DURATION'"],
  ['1M/s', "'1M/s' is not 'RATE/s for DURATION'"],
  ['1M for 1s', "'1M' is not a rate"],
  ['0/s for 1s', "'0/s' is not a rate"],
  ['-5/s for 1s', "'-5/s' is not a rate"],
  ['1M/s for 3', "'3' is not a duration"],
  ['1M/s for 0s', "'0s' is not a duration"],
])('the specification %j is refused, with an example', (spec, message) => {
  let caught: unknown;
  try {
    parseSimulationSpec(spec);
  } catch (error) {
    caught = error;
  }
  expect(caught).toBeInstanceOf(UsageError);
  expect((caught as UsageError).message).toContain(message);
  expect((caught as UsageError).hints.join()).toContain("'1M/s for 100ms");
});

describe('perf-ts periods --simulate', () => {
  const SPEC = '1M/s for 100ms, 10k/s for 1s, 1M/s for 100ms';

  test('--simulate prints a periods report under the title of a simulation', () => {
    const { status, stdout } = perfTs(['periods', '--simulate', SPEC, '--freq', '5000']);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^Simulation: nothing was recorded\./);
    expect(stdout).toContain('1 000 000/s for 100.0 ms, 10 000/s for 1.00 s');
    expect(stdout).toMatch(/^simulated software event: 5 000 Hz asked/m);
  });

  test('--simulate --json is a periods document that names the specification', () => {
    const options = ['--freq', '999', '--event-kind', 'hardware', '--kernel-hz', '1000', '--json'];
    const report = JSON.parse(perfTs(['periods', '--simulate', '1G/s for 1s', ...options]).stdout);
    expect(report.schema).toMatch(/^perf-ts\/periods@/);
    expect(report.simulation).toMatchObject({ kind: 'hardware', hz: 1000, frequencyHz: 999 });
    const [stream] = report.events[0].streams;
    expect(stream.firstPeriods.slice(0, 3)).toEqual([1, 1, 1]);
    expect(stream.model.tickDriven).toBe(true);
    expect(Math.abs(stream.steady.period.median / 1_001_001 - 1)).toBeLessThan(0.01);
  });

  test.each([
    [['--simulate', '1M/s for 1s', '--freq', '0'], '-F 0'],
    [['--simulate', '1M/s for 1000000s'], 'more than 10 000 000'],
    [['--simulate', 'nonsense'], 'nonsense'],
  ])('%j: exit status 2', (args, message) => {
    const { status, stderr } = perfTs(['periods', ...args]);
    expect(status).toBe(2);
    expect(stderr).toContain(message);
  });
});
