import { describe, expect, it, test } from 'vitest';
import {
  areAllSampledAlike,
  firstMeasure,
  secondsOf,
} from '../../../src/profile/analysis/diff-measure.ts';
import { profileFromText } from '../../helpers/profile-from-text.ts';

const profile = profileFromText(`
  main  main
`);

/** The same with samples up to `seconds`, by this command. */
function recorded(command: string, seconds = 2) {
  const { samples, meta } = profile;
  return {
    ...profile,
    samples: { ...samples, timeNs: Float64Array.of(0, seconds * 1e9) },
    meta: { ...meta, commandLine: command === '' ? [] : command.split(' ') },
  };
}

describe('the measure that recordings are compared in at first', () => {
  it.each([
    'perf-ts record -g -o old.data -- ./app -p 12',
    'perf record -e cpu-clock -F 99 ./app',
    'perf-ts record -Fmax -- ./app',
    '',
  ])('the first measure is what a command took: %s', (command) => {
    expect(firstMeasure(recorded(command))).toBe('absolute');
  });

  it.each([
    'perf-ts record -p 12',
    'perf-ts record --pid=12 -g',
    'perf-ts record -t 12',
    'perf-ts record -ga -- sleep 10',
    'perf record --all-cpus sleep 10',
  ])('the first measure is that of a second of what runs on: %s', (command) => {
    expect(firstMeasure(recorded(command))).toBe('second');
  });

  it('the first measure is as it is without times', () => {
    expect(firstMeasure(recorded('perf-ts record -a', 0))).toBe('absolute');
  });
});

test('rates that are not known are neither alike nor different', () => {
  const [event] = profileFromText('main').events;
  const at = (frequencyHz: number | null) => ({ ...event, frequencyHz, fixedPeriod: null });
  expect(areAllSampledAlike([at(99), at(99)])).toBe(true);
  expect(areAllSampledAlike([at(99), at(100)])).toBe(false);
  expect(areAllSampledAlike([at(99), at(null)])).toBe(null);
});

describe('the seconds of a recording', () => {
  it('the seconds of a recording are those up to the last sample, or of the time that is selected', () => {
    expect(secondsOf(recorded(''))).toBe(2);
    expect(secondsOf(recorded('', 0))).toBeNull();
    const times = [
      { fromNs: 0.5e9, toNs: 1e9 },
      { fromNs: 1.5e9, toNs: Number.POSITIVE_INFINITY },
    ];
    expect(secondsOf(recorded(''), times)).toBe(1);
  });
});
