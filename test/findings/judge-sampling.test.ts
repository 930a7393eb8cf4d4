import { expect, test } from 'vitest';
import type { RingFacts } from '../../src/base/lost-samples.ts';
import type { Finding } from '../../src/findings/finding.ts';
import {
  type EventEvidence,
  judgeSampling,
  type SamplingEvidence,
} from '../../src/findings/judge-sampling.ts';
import { SOUND, SOUND_EVENT } from './every-finding.ts';

const of = (event: Partial<EventEvidence>, rest: Partial<SamplingEvidence> = {}): Finding[] =>
  judgeSampling({ ...SOUND, events: [{ ...SOUND_EVENT, ...event }], ...rest });

const stacks = (complete: number, unknown = 0) => ({
  completeness: { samples: 100, complete, unknown, cut: [] },
});
const part = (share: number) => ({ part: 1000 * share, of: 1000 });
const doubt = { sentence: 'why', share: 0.3, command: null };
const inStep = (areIntervalsSure: boolean) => ({ ...doubt, areIntervalsSure });

test('a sound recording has no finding', () => {
  expect(of({}, stacks(100))).toEqual([]);
});

test.each<[string, Partial<EventEvidence>, Partial<SamplingEvidence>, string, string]>([
  ['0.4% lost', { lost: part(0.004) }, {}, 'note', 'samples-lost'],
  ['0.5% lost', { lost: part(0.005) }, {}, 'doubt', 'samples-lost'],
  ['10% lost', { lost: part(0.1) }, {}, 'wrong', 'samples-lost'],
  ['1% of the stacks cut', {}, stacks(99), 'note', 'stacks-cut'],
  ['1% without its JavaScript', {}, { withoutJavaScript: 0.01 }, 'note', 'stacks-none'],
  ['60% without its JavaScript', {}, { withoutJavaScript: 0.6 }, 'doubt', 'stacks-none'],
  ['10% of the stacks cut', {}, stacks(90), 'doubt', 'stacks-cut'],
  ['half of the stacks cut', {}, stacks(50), 'wrong', 'stacks-cut'],
  ['5% of the stacks without a named end', {}, stacks(95, 5), 'doubt', 'stacks-unknown'],
  ['97% of the stacks without a named end', {}, stacks(3, 97), 'wrong', 'stacks-unknown'],
  ['5% of the samples without a name', {}, { unnamedShare: 0.05 }, 'note', 'samples-unnamed'],
  ['half of the samples without a name', {}, { unnamedShare: 0.5 }, 'doubt', 'samples-unnamed'],
  ['1% of the events uncovered', { uncovered: part(0.01) }, {}, 'note', 'events-uncovered'],
  ['10% of the events uncovered', { uncovered: part(0.1) }, {}, 'doubt', 'events-uncovered'],
  ['1% not counted', { uncounted: { ...part(0.01), counters: 1 } }, {}, 'note', 'events-uncounted'],
  [
    '10% not counted',
    { uncounted: { ...part(0.1), counters: 9 } },
    {},
    'doubt',
    'events-uncounted',
  ],
  ['events behind the last samples', { tails: part(0.02) }, {}, 'note', 'events-of-tails'],
  ['a pause of 0.1%', { pauses: [{ fromNs: 0, toNs: 1e6 }] }, {}, 'note', 'samples-paused'],
  ['a pause of 1%', { pauses: [{ fromNs: 0, toNs: 1e7 }] }, {}, 'doubt', 'samples-paused'],
  ['samples in step', { inStep: inStep(true) }, {}, 'doubt', 'samples-in-step'],
  ['samples at some places', { inStep: inStep(false) }, {}, 'wrong', 'samples-in-step'],
  ['an unknown rule', { doubtfulWeights: doubt }, {}, 'doubt', 'periods-unknown'],
  ['weights apart', { disagreement: doubt }, {}, 'doubt', 'weights-disagree'],
  ['no sample', { samples: 0 }, {}, 'wrong', 'samples-none'],
  ['49 samples of equal weight', { effective: 49 }, {}, 'wrong', 'samples-few'],
  ['half of the time off', {}, { off: [{ fromNs: 0, toNs: 5e8 }] }, 'note', 'sampling-off'],
  ['a note', {}, { notes: ['the rate was lowered'] }, 'note', 'recorder-note'],
  ['another event', { name: 'b' }, { notes: ['a: recording b instead'] }, 'note', 'event-replaced'],
])('%s is one finding', (_, event, rest, severity, code) => {
  expect(of(event, rest)).toMatchObject([{ severity, code }]);
});

test.each<[string, Partial<EventEvidence>, Partial<SamplingEvidence>]>([
  ['50 samples of equal weight', { effective: 50 }, {}],
  ['few samples that are all occurrences', { samples: 3, effective: null }, {}],
  [
    '0.9% of the stacks cut',
    {},
    { completeness: { samples: 1000, complete: 991, unknown: 0, cut: [] } },
  ],
  ['4% of the stacks without a named end', {}, stacks(96, 4)],
  ['0.9% of the events uncovered', { uncovered: part(0.009) }, {}],
  ['0.9% of the events not counted', { uncounted: { ...part(0.009), counters: 2 } }, {}],
  ['0.9% of the time off', {}, { off: [{ fromNs: 0, toNs: 9e6 }] }],
])('%s are no finding', (_, event, rest) => {
  expect(of(event, rest)).toEqual([]);
});

test('the text of another tool has sums as items: their number and their weights are not judged', () => {
  const found = of({ samples: 3, effective: 2, disagreement: doubt }, { isText: true });
  expect(found.map(({ code }) => code)).toEqual(['sampling-unknown']);
});

test('an event that another one reads is judged by that alone', () => {
  const found = of({ readBy: 'cycles', samples: 1, effective: 1, doubtfulWeights: doubt });
  expect(found).toMatchObject([{ code: 'samples-of-leader', place: { event: 0 } }]);
});

test('a finding has its share, place and command', () => {
  expect(of({ lost: { part: 100, of: 1000 } })).toEqual([
    {
      code: 'samples-lost',
      severity: 'wrong',
      label: '10.0% lost',
      sentence: '10.0% of the samples (100) were lost: larger rings or a lower rate (-F) lose less',
      share: 0.1,
      place: { event: 0, offset: null, spans: [] },
      command: 'perf-ts record -m 16M -- COMMAND',
    },
  ]);
  const commandWith = (rings: RingFacts, targetHz: number | null) =>
    of({ lost: { part: 100, of: 1000 }, targetHz }, { rings })[0].command;
  expect(commandWith({ kib: 256, mostKib: null }, 3989)).toBe('perf-ts record -m 1M -- COMMAND');
  expect(commandWith({ kib: 256, mostKib: 512 }, 3989)).toBe('perf-ts record -m 512K -- COMMAND');
  expect(commandWith({ kib: 256, mostKib: 256 }, 3989)).toBe('perf-ts record -F 1994 -- COMMAND');
  expect(commandWith({ kib: 256, mostKib: 256 }, null)).toBe(null);
  const [off] = of({}, { off: [{ fromNs: 10, toNs: 5e8 }] });
  expect(off.place.spans).toEqual([[10, 5e8]]);
});
