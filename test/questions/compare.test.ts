import { expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { matchRuns } from '../../src/profile/analysis/match-functions.ts';
import type { EventIndex, Profile } from '../../src/profile/types.ts';
import { type ComparedRecording, compare } from '../../src/questions/compare.ts';
import { comparisonNotes } from '../../src/questions/compare-words.ts';
import { reportFunctions } from '../../src/questions/top.ts';
import { profileFromText } from '../helpers/profile-from-text.ts';
import { analysed, DRAWN, LATER } from '../helpers/query-tables.ts';

function recorded(opened: ReturnType<typeof analysed>): ComparedRecording {
  const event = 0 as EventIndex;
  const weights = opened.weights('events', event);
  return {
    ...{ profile: opened.profile, event, weights, rows: opened.samplesOf(event) },
    estimator: opened.shareEstimator(weights, event),
    ...{ counted: null, seconds: 2, doubt: null },
  };
}

const compared = (here: ComparedRecording, there: ComparedRecording) =>
  finish(compare([here], [there], matchRuns([here.profile], [there.profile])));

test('shares and their intervals are those of the report, also of what was lost', () => {
  const recording = recorded(DRAWN);
  const { functions } = compared(recording, recorded(LATER));
  const { bySymbol } = reportFunctions(recording, false);
  expect(functions.map(({ name }) => name)).toContain('fresh');
  for (const { func, selfShare } of bySymbol) {
    const row = functions.find(({ name }) => name === DRAWN.nameOf(func));
    expect(row?.share.here).toBeCloseTo(selfShare, 12);
  }
  expect(functions.find(({ name }) => name === '[lost]')?.share.here).toBeGreaterThan(0.2);
});

test('a function that did nothing itself is a row, since a gate may name it', () => {
  const { functions } = compared(recorded(DRAWN), recorded(DRAWN));
  const main = functions.find(({ name }) => name === 'main');
  expect(main?.share).toMatchObject({ here: 0, there: 0, delta: 0, isCertain: false });
});

test('functions that are the same within a recording are one row with the interval of both', () => {
  const split: Profile = profileFromText(`
    main@libx  main@libx  work@liby  work@libz  work@libz  main@libx
  `);
  const recording = recorded(analysed(split));
  const { functions: apart } = compared(recording, recording);
  expect(apart.filter(({ name }) => name === 'work')).toHaveLength(2);
  const [ids] = matchRuns([split], [split]).ids;
  const one = ids.map((id, func) =>
    split.strings[split.funcs.name[func]] === 'work' ? 0 : id + 1,
  );
  const matched = { ids: [one, one], count: Math.max(...one) + 1, renamed: [] };
  const { functions } = finish(compare([recording], [recording], matched));
  const [work, ...others] = functions.filter(({ name }) => name === 'work');
  expect(others).toEqual([]);
  const whole = recorded(
    analysed(
      profileFromText(`
    main@libx  main@libx  work@liby  work@liby  work@liby  main@libx
  `),
    ),
  );
  const alone = compared(whole, whole).functions.find(({ name }) => name === 'work');
  expect(work.share.interval).not.toBeNull();
  expect(work.share).toEqual(alone?.share);
});

test('recordings with hardly a function in common are reported as of different programs, others are not', () => {
  const recordingOf = (drawing: string) => recorded(analysed(profileFromText(drawing)));
  const note =
    'no more than 0.00% of either side is in functions that both have: they may be of different programs';
  const [one, other] = [recordingOf('main  work  work'), recordingOf('start  paint  paint')];
  expect(comparisonNotes(compared(one, other))).toEqual([note]);
  // All of one side is in a function that the other has, too: the rest was taken out of the program.
  expect(comparisonNotes(compared(recordingOf('main  main  main'), one))).toEqual([]);
});

test('each fact to know of the recordings is a sentence', () => {
  const recording = recorded(DRAWN);
  const [event] = DRAWN.profile.events;
  const faster = { ...recording.profile, events: [{ ...event, frequencyHz: 99 }] };
  const doubtful = { ...recording, profile: faster, doubt: 'nobody knows its periods' };
  expect(comparisonNotes(compared(doubtful, recording))).toEqual([
    'sampled at different rates: sampling itself takes time, more of it at the higher rate',
    'after: nobody knows its periods',
  ]);
  expect(comparisonNotes(compared(recording, recording))).toEqual([]);
});
