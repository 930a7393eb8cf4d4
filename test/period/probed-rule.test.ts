// The rule of a driver by a probe: samples of work at a constant rate, as each kind of driver writes them.

import { describe, expect, it } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { findRules } from '../../src/period/period-rule.ts';
import { type ProbedSamples, ruleOfProbe } from '../../src/period/probed-rule.ts';
import { groupByStream } from '../../src/period/streams.ts';
import type { DriverRule, ProbedRule } from '../../src/profile/types.ts';
import { CYCLES, everyNs, recordingOf } from './recording.ts';

/** The ramp of `cycles` at 3 GHz and 10 kHz: what is armed for one interval after the other. */
const ARMED = [50, 50, 50, 81, 132, 176, 205, 222, 235, 246, 254, 261, 267, 272, 276, 279, 281].map(
  (thousands) => thousands * 1000,
);
const CYCLES_A_NS = 3;

type Driver = {
  readonly rule: 'next' | 'elapsed';
  /** The count in a sample lacks the interval that ends with it. */
  readonly countsLag?: boolean;
  /** Cycles that pass between overflow and interrupt. */
  readonly skid?: number;
  /** Nanoseconds that interval i takes, without which all take what they take at 3 GHz. */
  readonly lengthNs?: (i: number) => number;
};

/** A start: sample i ends interval i. */
function start({ rule, countsLag = false, skid = 0, lengthNs }: Driver): ProbedSamples {
  const rows: number[] = [];
  let [time, count] = [1e9, 0];
  for (let i = 0; i + 1 < ARMED.length; i++) {
    time += lengthNs?.(i) ?? ARMED[i] / CYCLES_A_NS;
    const before = count;
    count += ARMED[i];
    const shown = (countsLag ? before : count) + (countsLag && i === 0 ? 0 : skid);
    rows.push(time, rule === 'next' ? ARMED[i + 1] : ARMED[i], shown);
  }
  return Float64Array.from(rows);
}

const starts = (driver: Driver) => [start(driver), start(driver), start(driver)];

describe('a probe finds', () => {
  it.each<[string, Driver]>([
    ['that periods are those of the next interval', { rule: 'next' }],
    ['that periods are those of the interval before', { rule: 'elapsed' }],
    ['either beside skid', { rule: 'next', skid: 900 }],
    ['counts that are a sample late', { rule: 'elapsed', countsLag: true }],
  ])('%s', (_, driver) => {
    const found = ruleOfProbe(starts(driver));
    expect(found).toMatchObject({ rule: driver.rule, countsLag: driver.countsLag ?? false });
    expect(found?.majority).toBe(1);
    expect(found?.votes).toBeGreaterThanOrEqual(8);
  });

  it('nothing in periods that are all alike, in too few samples, and in none', () => {
    const steady = start({ rule: 'next' });
    for (let at = 1; at < steady.length; at += 3) {
      steady[at] = 50_000;
      steady[at + 1] = 50_000 * Math.ceil(at / 3);
    }
    expect(ruleOfProbe([steady, steady])).toBeNull();
    expect(ruleOfProbe([start({ rule: 'next' }).slice(0, 12)])).toBeNull();
    expect(ruleOfProbe([new Float64Array(), new Float64Array()])).toBeNull();
  });

  it('nothing where times contradict counts', () => {
    const lengthNs = (i: number) => ARMED[i + 1] / CYCLES_A_NS;
    expect(ruleOfProbe(starts({ rule: 'next', lengthNs }))).toBeNull();
  });
});

describe('the rule of an event that was probed', () => {
  const PROBED: ProbedRule = {
    rule: 'next',
    countsLag: false,
    samples: 64,
    votes: 20,
    majority: 1,
  };
  const TABLE: DriverRule = { driver: 'ARM', rule: 'elapsed', countsLag: false };

  function ruleOf(facts: { probedRule?: ProbedRule; driverRule?: DriverRule }) {
    const input = recordingOf([{ ...CYCLES, ...facts }], everyNs(1000, [500, 500, 500]));
    return finish(findRules(input, finish(groupByStream(input))))[0];
  }

  it('the rule of a probed event is what was measured, and contradicts the table aloud', () => {
    expect(ruleOf({ probedRule: PROBED })).toEqual({
      rule: 'next',
      from: 'probe',
      confidence: 1,
    });
    expect(ruleOf({ probedRule: PROBED, driverRule: TABLE })).toEqual({
      rule: 'next',
      from: 'probe',
      confidence: 1,
      driver: 'ARM',
      contradiction: { table: 'elapsed', by: 'probe' },
    });
  });
});
