import { describe, expect, it } from 'vitest';
import { Diagnostics } from '../../src/base/diagnostics.ts';
import { explainProvenance } from '../../src/formats/export/export-provenance.ts';
import { weightTitle } from '../../src/formats/export/weight-title.ts';
import type { EventIndex, Profile, ProfileEvent, WeightKind } from '../../src/profile/types.ts';
import { OpenedProfile } from '../../src/read/open-profile.ts';
import { describeProvenance } from '../../src/read/outputs/describe-provenance.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';

const PAGE_FAULTS: ProfileEvent = {
  name: 'page-faults',
  type: 1,
  mode: 'frequency',
  frequencyHz: 1000,
  fixedPeriod: null,
  unit: 'events',
};

/** Four samples of one event, with counts where they are given. */
function opened(
  event: Partial<ProfileEvent>,
  { counts, notes, lost }: { counts?: number[]; notes?: string[]; lost?: number } = {},
): OpenedProfile {
  const drawn = profileFromText(
    `
      event   page-faults  page-faults  page-faults  page-faults
      period  2            4            8            16
              main         main         main         main
    `,
    { notes: notes ?? [], recorder: 'perf-ts 0.1.0' },
  );
  const profile: Profile = {
    ...drawn,
    events: [{ ...PAGE_FAULTS, ...event }],
    samples: {
      ...drawn.samples,
      ...(counts !== undefined && { count: Float64Array.from(counts) }),
    },
    losses:
      lost === undefined ? [] : [{ event: 0 as EventIndex, lostRecords: lost, lostSamples: 0 }],
  };
  return new OpenedProfile({
    recorded: profile,
    periodInput: profile,
    diagnostics: new Diagnostics(),
    truncatedAt: null,
  });
}

function eventOf(profile: OpenedProfile, weight?: WeightKind) {
  return describeProvenance(profile, weight === undefined ? {} : { weight }).events[0];
}

describe('where the weights come from', () => {
  const UNKNOWN_RULE = { name: 'cycles', type: 0 };
  it.each([
    ['counts', {}, { counts: [2, 4, 8, 16] }, 'events', 'counts', false],
    [
      'counts of some',
      {},
      { counts: [2, Number.NaN, 8, 16] },
      'events',
      'counts-and-periods',
      false,
    ],
    ['periods of a known kind', {}, {}, 'events', 'realigned-periods', false],
    ['periods of an unknown rule', UNKNOWN_RULE, {}, 'events', 'reported-periods', true],
    ['periods as perf takes them', UNKNOWN_RULE, {}, 'period', 'reported-periods', false],
    ['the number of samples', {}, {}, 'samples', 'samples', false],
    [
      'the times between context switches',
      { name: 'off-cpu', mode: 'period', fixedPeriod: 1, unit: 'nanoseconds' },
      { counts: [1, 1, 1, 1] },
      'events',
      'waits',
      false,
    ],
    [
      'the time or the bytes of system calls',
      { name: 'syscall-bytes', mode: 'clock', frequencyHz: null },
      {},
      'events',
      'system-calls',
      false,
    ],
    [
      'the bytes of new pages',
      { name: 'new-memory:u', mode: 'clock', frequencyHz: null },
      {},
      'events',
      'new-pages',
      false,
    ],
    [
      "the bytes of V8's samples",
      { name: 'heap-allocated', mode: 'period', frequencyHz: null },
      {},
      'events',
      'heap-samples',
      false,
    ],
    [
      'the timer of a clock, whatever its counter says',
      { mode: 'clock', unit: 'nanoseconds' },
      { counts: [2, 4, 8, 16] },
      'events',
      'fixed-period',
      false,
    ],
    [
      'a fixed period',
      { mode: 'period', frequencyHz: null, fixedPeriod: 2 },
      {},
      'events',
      'fixed-period',
      false,
    ],
  ] as const)('%s', (_what, event, rest, weight, from, isGuess) => {
    const options = rest as { counts?: number[] };
    const described = eventOf(opened(event, options), weight);
    expect([described.weightsFrom, described.isGuess]).toEqual([from, isGuess]);
  });

  it('weights that each sample measured itself are divided by no threads of wall time', () => {
    const inWallTime = (event: Partial<ProfileEvent>) =>
      explainProvenance(eventOf(opened(event)), 'wall');
    const memory = { name: 'new-memory', mode: 'clock', frequencyHz: null } as const;
    expect(inWallTime(memory)).toEqual([
      'weights are the bytes of the pages that each page fault added to its process',
    ]);
    expect(weightTitle(opened(memory).weights('events', 0 as EventIndex))).toBe(
      'events (as each sample measured them)',
    );
    expect(inWallTime({ mode: 'clock', unit: 'nanoseconds' })).toContain(
      'each is divided by the number of recorded threads that ran at that moment',
    );
  });

  it('provenance calls a known rule known, and an unknown one a guess', () => {
    expect(eventOf(opened({})).sentences).toEqual([
      'weights are periods of the interval after the sample that reports them, as is known of this ' +
        'kind of event',
    ]);
    expect(eventOf(opened(UNKNOWN_RULE)).sentences).toEqual([
      'weights are the periods as reported: a guess, as which interval they measure is not known',
    ]);
  });
});

it('provenance names the requested event where another was recorded', () => {
  const note =
    'cycles: this machine has no hardware counters (ENOENT); recording cpu-clock:u instead, a ' +
    'timer at the same rate';
  const clock = { name: 'cpu-clock:u', mode: 'clock', unit: 'nanoseconds' } as const;
  const { insteadOf, sentences } = eventOf(opened(clock, { notes: [note] }));
  expect(insteadOf).toBe('cycles');
  expect(sentences[0]).toBe('cpu-clock:u was recorded instead of cycles');
  expect(eventOf(opened({}, { notes: [note] })).insteadOf).toBe(null);
});

it('provenance has the number of lost samples', () => {
  const { lostSamples, coverage, sentences } = eventOf(opened({}, { lost: 12 }));
  expect([lostSamples, coverage]).toEqual([12, 0.25]);
  expect(sentences).toContain('75.0% of the samples (12) were lost');
});

it('provenance compares the weights with the counter', () => {
  const { counted, weighed, sentences } = eventOf(opened({}, { counts: [2, 4, 8, 16] }));
  expect([counted, weighed]).toEqual([16, 16]);
  expect(sentences).toContain('the weights are 100.00% of the 16 events counted in all');
});

it('provenance names recorder and exporter', () => {
  const { schema, recorder, exporter, weight } = describeProvenance(opened({}));
  expect([schema, recorder, weight]).toEqual(['perf-ts/provenance@1', 'perf-ts 0.1.0', 'events']);
  expect(exporter).toMatch(/^perf-ts \d/);
});
