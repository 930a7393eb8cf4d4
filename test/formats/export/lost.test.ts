import { expect, test } from 'vitest';
import { finish } from '../../../src/base/slices.ts';
import { writeFolded } from '../../../src/formats/export/folded.ts';
import { writeSpeedscope } from '../../../src/formats/export/speedscope.ts';
import { computeFlatReport } from '../../../src/profile/analysis/flat-report.ts';
import { selectSamples } from '../../../src/profile/analysis/select/filter.ts';
import type { EventIndex, Weights } from '../../../src/profile/types.ts';
import { checkProfile } from '../../helpers/check-profile.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';
import { collect } from '../../helpers/round-trip.ts';

const profile = profileFromText(
  `
    tid     1      1      2
    period  10     20     30
            main   main   main
            work   idle   work
  `,
  {},
  [{ event: 0 as EventIndex, lostRecords: 3, lostSamples: 4 }],
);
checkProfile(profile);

/** 40 events were lost before the second sample. */
const weights: Weights = {
  kind: 'events',
  unit: 'events',
  values: Float64Array.of(10, 20, 30),
  lostBefore: Float64Array.of(0, 40, 0),
};

test('[lost] is an item of its own and part of the whole', () => {
  const report = computeFlatReport(profile, weights, finish(selectSamples(profile)));
  expect(report).toMatchObject({ samples: 3, weight: 100, lost: 40 });
  const rows = report.bySymbol.map((row) => [
    profile.strings[profile.funcs.name[row.func]],
    row.self,
    row.selfShare,
    row.selfSamples,
  ]);
  expect(rows).toEqual([
    ['work', 40, 0.4, 2],
    ['[lost]', 40, 0.4, 0],
    ['idle', 20, 0.2, 1],
    ['main', 0, 0, 0],
  ]);
});

test('folded stacks have [lost] as a root', () => {
  const text = collect((write) => writeFolded(profile, weights, {}, write));
  expect(text).toBe('[lost] 40\napp;main;idle 20\napp;main;work 40\n');
});

test('speedscope has [lost] at its time in its thread', () => {
  const file = JSON.parse(collect((write) => writeSpeedscope(profile, weights, {}, write)));
  const lost = file.shared.frames.findIndex(({ name }: { name: string }) => name === '[lost]');
  const [first, second] = file.profiles;
  expect(first.weights).toEqual([10, 40, 20]);
  expect(first.samples[1]).toEqual([lost]);
  expect(first.endValue).toBe(70);
  expect(second.weights).toEqual([30]);
});

test('a recording without losses has no [lost]', () => {
  const whole = profileFromText('main');
  expect(whole.lostStack).toBe(-1);
  expect([...whole.strings]).not.toContain('[lost]');
});
