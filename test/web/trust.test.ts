import { describe, expect, test } from 'vitest';
import type { LateReport } from '../../web/src/ask/late-report.ts';
import { assessTrust } from '../../web/src/ask/trust.ts';
import type { OpenResult } from '../../web/src/worker/messages/messages.ts';

const EVENT = {
  name: 'cycles',
  type: 0,
  mode: 'frequency',
  unit: 'events',
  readBy: null as string | null,
  lostSamples: 0,
};

function recordingOf(
  event: { samples?: number; lostSamples?: number; readBy?: string } = {},
  head: object = {},
  rest: object = {},
): OpenResult {
  return {
    events: [{ ...EVENT, samples: 1000, ...event }],
    areLossesKnown: true,
    meta: { notes: ['cpu-clock was recorded instead of cycles'] },
    head: { truncatedAt: null, completeness: null, ...head },
    ...rest,
  } as unknown as OpenResult;
}

const NOT_YET: LateReport = { get: () => null, problem: () => null, onArrival: () => {} };

function reportOf(event: object = {}, provenance: object = {}): LateReport {
  const described = {
    lost: { samples: 0, coverage: 1 },
    weights: null,
    verdicts: { converged: { streams: 1, samples: 1000 } },
    throttled: { count: 0, ns: 0, intervals: [] },
    effectiveSamples: 900,
    reportedPeriod: { rule: 'next', from: 'table', confidence: 1 },
    ...event,
  };
  const arrived = {
    eventRows: [0],
    periods: { events: [described] },
    provenance: { events: [{ weightsFrom: 'counts', fixedPeriod: null, ...provenance }] },
  };
  return { ...NOT_YET, get: () => arrived as never };
}

const apart = (samples: number) => ({
  weights: { distance: { samples, period: 0, time: 0.9 }, functions: [] },
});
const stacks = (complete: number, unknown = 0) => ({
  completeness: {
    samples: 100,
    complete,
    unknown,
    cut: [{ reason: 'frame pointers lead no further', dso: 0, samples: 100 - complete - unknown }],
  },
});

describe('the sampling of a recording is', () => {
  test('sound where nothing speaks against it, whatever counter it had', () => {
    expect(assessTrust(recordingOf(), reportOf(apart(0.009)), 0)).toStrictEqual({
      level: 'good',
      label: 'sampling sound',
      reasons: ['1 000 samples, none lost.', 'The weights agree.'],
    });
  });

  test.each([
    [
      'read by another event',
      recordingOf({ samples: 1000, readBy: 'cycles' }),
      NOT_YET,
      'fair',
      'without own samples',
    ],
    ['0.4% lost', recordingOf({ samples: 996, lostSamples: 4 }), NOT_YET, 'good', 'sampling sound'],
    ['0.5% lost', recordingOf({ samples: 995, lostSamples: 5 }), NOT_YET, 'fair', '0.5% lost'],
    ['10% lost', recordingOf({ samples: 900, lostSamples: 100 }), NOT_YET, 'poor', '10.0% lost'],
    [
      'lost by the report',
      recordingOf(),
      reportOf({ lost: { samples: 250, coverage: 0.8 } }),
      'poor',
      '20.0% lost',
    ],
    [
      'periods of an unknown interval',
      recordingOf(),
      reportOf({ reportedPeriod: { rule: 'unknown', from: 'fit', confidence: 0 } }),
      'fair',
      'periods uncertain',
    ],
    ['4% cut', recordingOf({}, stacks(96)), NOT_YET, 'good', 'sampling sound'],
    ['5% cut', recordingOf({}, stacks(95)), NOT_YET, 'fair', '5.0% of stacks cut'],
    ['half cut', recordingOf({}, stacks(50)), NOT_YET, 'poor', '50.0% of stacks cut'],
    ['ends without names', recordingOf({}, stacks(40, 60)), NOT_YET, 'good', 'sampling sound'],
    ['weights apart', recordingOf(), reportOf(apart(0.01)), 'fair', 'weights disagree'],
    [
      'a paused event',
      recordingOf(),
      reportOf({ verdicts: { throttled: {} } }),
      'fair',
      'paused by the kernel',
    ],
    ['a text', recordingOf({}, {}, { areLossesKnown: false }), NOT_YET, 'fair', 'sampling unknown'],
    [
      'a text of few lines with large sums',
      recordingOf({ samples: 3 }, {}, { areLossesKnown: false }),
      reportOf({ ...apart(0.5), effectiveSamples: 2 }),
      'fair',
      'sampling unknown',
    ],
    ['a cut file', recordingOf({}, { truncatedAt: 4096 }), NOT_YET, 'poor', 'recording cut short'],
    [
      'lost mappings',
      recordingOf({}, {}, { meta: { lostSideband: 1 } }),
      NOT_YET,
      'poor',
      'names uncertain',
    ],
    ['nothing', recordingOf({ samples: 0 }), NOT_YET, 'poor', 'no samples'],
    [
      '49 samples of equal weight',
      recordingOf(),
      reportOf({ effectiveSamples: 49 }),
      'poor',
      'few samples',
    ],
    [
      'few of all page faults',
      recordingOf({ samples: 3 }),
      reportOf({}, { fixedPeriod: 1 }),
      'good',
      'sampling sound',
    ],
    [
      'few waits',
      recordingOf({ samples: 3 }),
      reportOf({}, { weightsFrom: 'waits' }),
      'good',
      'sampling sound',
    ],
  ] as const)('judged by its worst: %s', (_, recording, report, level, label) => {
    expect(assessTrust(recording, report, 0)).toMatchObject({ level, label });
  });

  test('told by all reasons, the worst first', () => {
    const recording = recordingOf({}, { truncatedAt: 4096, ...stacks(90) });
    expect(assessTrust(recording, reportOf(apart(0.2)), 0)).toMatchObject({
      label: 'recording cut short',
      reasons: [
        'The recording ends early, at byte 4 096: it was cut.',
        '10.0% of the stacks lack callers, most of them because: frame pointers lead no further.',
        'Does the weight matter? yes: by samples 20.0%, by period 0.0% of the profile would stand ' +
          'under other functions than by events, the default.',
      ],
    });
  });
});
