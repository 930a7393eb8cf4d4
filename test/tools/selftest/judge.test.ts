import { describe, expect, it } from 'vitest';
import type { PeriodRule, ReportedPeriod } from '../../../src/period/types.ts';
import { judgeCase } from '../../../src/tools/selftest/judge.ts';
import type { CaseNumbers, CaseSetup } from '../../../src/tools/selftest/types.ts';

const BY_FREQUENCY: CaseSetup = {
  event: 'page-faults',
  rate: { freq: 10_000 },
  counts: true,
  oneThread: false,
};
const BY_COUNT: CaseSetup = {
  event: 'page-faults',
  rate: { count: 100 },
  counts: true,
  oneThread: false,
};

const rule = (name: PeriodRule, from: ReportedPeriod['from']): ReportedPeriod => ({
  rule: name,
  from,
  confidence: name === 'unknown' ? 0 : 1,
});

/** 100 samples of a software event, all as it should be. */
/** An interval of ± 0.05. */
const around = (share: number) => ({ low: share - 0.05, high: share + 0.05 });

const GOOD: CaseNumbers = {
  samples: 100,
  lostSamples: 0,
  counted: 10_050,
  weighed: 10_000,
  ledger: { gaps: 0, tail: 40, unsampled: 10, undivided: 0, unaccounted: 0 },
  lastPeriods: 120,
  isClock: false,
  isUserOnly: false,
  streams: 2,
  rule: rule('next', 'counts'),
  probed: null,
  fit: rule('next', 'fit'),
  streamsOffCount: null,
  model: { compared: 980, exact: 970, within1Percent: 980, tickDriven: false },
  throttles: 0,
  throttledNs: 0,
  maxSampleRate: 100_000,
  maxSampleRateAfter: 100_000,
  outOfOrder: 0,
  phases: [
    { phase: 'touch-fast', trueShare: 0.8, share: 0.79, slack: 0.02, interval: around(0.79) },
    { phase: 'touch-slow', trueShare: 0.2, share: 0.21, slack: 0.02, interval: around(0.21) },
  ],
  firstPeriods: [1, 1, 1, 2],
};

type Judged = { setup?: Partial<CaseSetup>; byCounts?: PeriodRule };

/** `name state` of every finding that is not ok. */
function troubles(change: Partial<CaseNumbers>, { setup, byCounts }: Judged = {}): string[] {
  return judgeCase({ ...BY_FREQUENCY, ...setup }, { ...GOOD, ...change }, byCounts ?? null)
    .filter(({ state }) => state !== 'ok')
    .map(({ name, state }) => `${name} ${state}`);
}

function sentence(name: string, change: Partial<CaseNumbers>, judged: Judged = {}): string {
  const { setup, byCounts } = judged;
  const numbers = { ...GOOD, ...change };
  const found = judgeCase({ ...BY_FREQUENCY, ...setup }, numbers, byCounts ?? null);
  return found.find((finding) => finding.name === name)?.sentence ?? '';
}

describe('a recording that is as claimed', () => {
  it('a sound recording has nothing that differs, and every claim was measured', () => {
    expect(troubles({})).toEqual([]);
    const names = judgeCase(BY_FREQUENCY, GOOD, null).map(({ name }) => name);
    expect(names).toEqual([
      'samples',
      'order',
      'rule',
      'ledger',
      'model',
      'phases',
      'intervals',
      'throttling',
    ]);
  });

  it('the count alone is judged in period mode, neither rule nor model', () => {
    const numbers = { ...GOOD, fit: null, model: null, streamsOffCount: 0 };
    const names = judgeCase(BY_COUNT, numbers, null).map(({ name }) => name);
    expect(names).toEqual([
      'samples',
      'order',
      'ledger',
      'period-mode',
      'phases',
      'intervals',
      'throttling',
    ]);
  });
});

describe('the rule', () => {
  it.each([
    [
      'the probe contradicts the counts',
      { probed: { rule: 'elapsed', countsLag: false, samples: 64, votes: 9, majority: 1 } },
      {},
      'rule differs',
    ],
    ['the fit contradicts the counts', { fit: rule('elapsed', 'fit') }, {}, 'rule differs'],
    [
      'the table contradicts the counts of another recording',
      { rule: rule('next', 'table'), fit: rule('unknown', 'fit') },
      { byCounts: 'elapsed' },
      'rule differs',
    ],
    [
      'nobody knows',
      { rule: rule('unknown', 'fit'), fit: rule('unknown', 'fit') },
      {},
      'rule not-available',
    ],
  ] satisfies [string, Partial<CaseNumbers>, Judged, string][])(
    '%s',
    (_, change, judged, sentence) => {
      expect(troubles(change, judged)).toEqual([sentence]);
    },
  );

  it('a rule known by one source only is no contradiction', () => {
    const change = { rule: rule('next', 'table'), fit: rule('unknown', 'fit') };
    expect(sentence('rule', change, { byCounts: 'next' })).toBe(
      'next by table, unknown by fit, next by counts of another recording',
    );
  });
});

const ledger = (
  change: Partial<NonNullable<CaseNumbers['ledger']>>,
): Pick<CaseNumbers, 'ledger'> => ({ ledger: { ...GOOD.ledger!, ...change } });

describe('the ledger', () => {
  it.each([
    ['an event that is nowhere', ledger({ unaccounted: 1 }), {}, ['ledger differs']],
    ['an event too many', ledger({ unaccounted: -1 }), {}, ['ledger differs']],
    ['a tail longer than the last intervals', ledger({ tail: 600 }), {}, ['ledger differs']],
    ['instances without a sample are known', ledger({ unsampled: 5000 }), {}, []],
    ['the counter was not read', { counted: null }, {}, ['ledger not-available']],
    ['finals were not read', { ledger: null }, {}, ['ledger not-available']],
    [
      'without counts, what was lost can not be told',
      { lostSamples: 10 },
      { setup: { counts: false } },
      [
        'ledger not-available',
        'model not-available',
        'phases not-available',
        'intervals not-available',
      ],
    ],
    [
      'without counts, more left than the last intervals hold',
      ledger({ tail: 1000 }),
      { setup: { counts: false } },
      ['ledger not-available'],
    ],
    [
      'without counts, more weight than was counted',
      ledger({ unaccounted: -1000 }),
      { setup: { counts: false } },
      ['ledger differs'],
    ],
    [
      'a clock whose timers were skipped',
      { isClock: true, fit: null, ...ledger({ tail: 1000 }) },
      {},
      ['ledger not-available'],
    ],
  ] satisfies [string, Partial<CaseNumbers>, Judged, string[]][])(
    '%s',
    (_, change, judged, sentence) => {
      expect(troubles(change, judged)).toEqual(sentence);
    },
  );
});

it('a clock of user space alone falls short for another reason', () => {
  const short = { isClock: true, fit: null, ...ledger({ tail: 1000 }) };
  expect(sentence('ledger', short)).toContain('timers were skipped');
  expect(sentence('ledger', { ...short, isUserOnly: true })).toContain('runs on in the kernel');
});

describe('period mode', () => {
  const period = { fit: null, model: null, counted: 10_000, weighed: 10_000, lastPeriods: 100 };
  it.each([
    ['an instance has another number of samples', { streamsOffCount: 1 }, {}, ['differs']],
    ['more samples than the counter allows', { samples: 101 }, { counts: false }, ['differs']],
    ['fewer than the remainders explain', { samples: 80 }, { counts: false }, ['differs']],
    ['remainders', { samples: 85 }, { counts: false }, []],
    ['throttled', { throttles: 1, samples: 10 }, {}, ['not-available']],
    ['a clock that skipped timers', { isClock: true, samples: 90 }, {}, ['not-available']],
    ['a clock with too many timers', { isClock: true, samples: 101 }, {}, ['differs']],
  ] satisfies [string, Partial<CaseNumbers>, Partial<CaseSetup>, string[]][])(
    '%s',
    (_, change, setup, states) => {
      const judged = { setup: { ...BY_COUNT, ...setup } };
      const found = troubles({ ...period, ...change }, judged);
      expect(found).toEqual(states.map((state) => `period-mode ${state}`));
    },
  );
});

describe('the model', () => {
  it.each([
    ['not replayed', null, 'model not-available'],
    ['too few steps', { compared: 199, exact: 199, within1Percent: 199 }, 'model not-available'],
    ['another algorithm', { compared: 1000, exact: 100, within1Percent: 899 }, 'model differs'],
  ])('%s', (_, model, sentence) => {
    const replayed = model === null ? null : { ...model, tickDriven: false };
    expect(troubles({ model: replayed })).toEqual([sentence]);
  });
});

it('the model is reported, not judged, where ticks drive most steps', () => {
  const model = { compared: 1000, exact: 100, within1Percent: 500, tickDriven: false };
  const judged = { setup: { rate: { freq: 1000 } } };
  expect(troubles({ model }, judged)).toEqual(['model not-available']);
  expect(sentence('model', { model }, judged)).toContain('10.0% exact, 50.0% within 1% of 1000');
});

describe('the phases', () => {
  const phases = (share: number, slack: number): Pick<CaseNumbers, 'phases'> => ({
    phases: [
      { phase: 'spin-1', trueShare: 0.25, share, slack, interval: around(share) },
      { phase: 'spin-3', trueShare: 0.75, share: 1 - share, slack, interval: around(1 - share) },
    ],
  });
  it.each([
    ['a border moved an interval', 0.27, 0.02, []],
    ['more than borders can move', 0.29, 0.02, ['phases differs']],
    ['more than intervals hold', 0.4, 0.02, ['phases differs', 'intervals differs']],
    ['intervals as long as the phase', 0.25, 0.1, ['phases not-available']],
  ])('%s', (_, share, slack, sentence) => {
    expect(troubles(phases(share, slack))).toEqual(sentence);
  });

  it('an event without an account is not judged', () => {
    expect(troubles({ phases: [] })).toEqual(['phases not-available', 'intervals not-available']);
  });
});

describe('samples', () => {
  it('samples of an event that happened must arrive', () => {
    expect(troubles({ samples: 0 })).toEqual(['samples differs']);
    expect(troubles({ samples: 0, counted: 0 })).toEqual(['samples not-available']);
  });

  it('samples must come in order of time', () => {
    expect(troubles({ outOfOrder: 1 })).toEqual(['order differs']);
  });

  it('throttling is reported, not judged', () => {
    const change = { throttles: 2, throttledNs: 4e6, maxSampleRateAfter: 50_000 };
    expect(troubles(change)).toEqual([]);
    expect(sentence('throttling', change)).toBe(
      '2 times, 4 ms; the kernel lowered its rate limit from 100000 to 50000 Hz',
    );
  });
});
