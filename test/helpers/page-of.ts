import type { PageProfile } from '../../src/formats/export/page-profile.ts';
import type { PeriodInput } from '../../src/period/types.ts';
import type { Profile, ProfileEvent } from '../../src/profile/types.ts';
import { profileFromText, simpleWeights } from './profile-from-text.ts';

/** What happened beside the samples, and how the event was sampled. */
export type Happened = Pick<PeriodInput, 'lossGaps' | 'throttles'> & {
  readonly event?: Partial<ProfileEvent>;
  readonly timeNs?: readonly number[];
  readonly cpu?: readonly number[];
};

/** A drawn profile as the page holds it. */
export function pageOf(
  drawn: Profile,
  { event, timeNs, cpu, ...happened }: Happened = {},
): PageProfile {
  const samples = {
    ...drawn.samples,
    ...(timeNs !== undefined && { timeNs: Float64Array.from(timeNs) }),
    ...(cpu !== undefined && { cpu: Int32Array.from(cpu) }),
  };
  const events = drawn.events.map((own) => ({ ...own, ...event }));
  const profile = { ...drawn, samples, events };
  const periodInput: PeriodInput = { ...profile, ...happened };
  return {
    schema: 'perf-ts/page-profile@1',
    title: 'drawn',
    exporter: 'test',
    profile,
    weights: {
      samples: simpleWeights(profile, 'samples'),
      period: simpleWeights(profile, 'period'),
    },
    missingWeights: {},
    firstWeight: 'samples',
    periodInput,
    completeness: null,
  };
}

/** As many samples a millisecond apart, of one stream, with these periods. */
export function pageOfPeriods(
  periods: readonly number[],
  event: Partial<ProfileEvent> = { mode: 'frequency', frequencyHz: 1000, fixedPeriod: null },
) {
  const drawn = profileFromText('main');
  const column = (value: number) => new Int32Array(periods.length).fill(value);
  const samples = {
    length: periods.length,
    stack: column(0),
    thread: column(0),
    comm: column(drawn.samples.comm[0]),
    event: column(0),
    stream: column(-1),
    cpu: column(0),
    timeNs: Float64Array.from(periods, (_, i) => i * 1e6),
    periodEvents: Float64Array.from(periods),
    count: new Float64Array(periods.length).fill(Number.NaN),
  };
  return pageOf({ ...drawn, samples }, { event });
}
