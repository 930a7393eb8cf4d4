import { expect, test } from 'vitest';
import { CallerSums } from '../../../src/tools/top/caller-sums.ts';
import { namesOfFunction } from '../../../src/tools/top/slice-tables.ts';
import { profileFromText, simpleWeights } from '../../helpers/profile-from-text.ts';

test('callers of a function that calls itself are those of its outermost call', () => {
  const profile = profileFromText(`
    main   main   main
    walk   walk   other
    walk
    leaf
  `);
  const { strings, funcs } = profile;
  const walk = funcs.name.findIndex((name) => strings[name] === 'walk');
  const sums = new CallerSums(namesOfFunction(profile, walk));
  const rows = Int32Array.from({ length: profile.samples.length }, (_, row) => row);
  sums.add(profile, simpleWeights(profile, 'samples'), rows);
  expect(sums.tree()).toEqual({
    ...{ name: 'walk', weight: 2 },
    callers: [{ name: 'main', weight: 2, callers: [] }],
  });
  expect(sums.share).toBeCloseTo(2 / 3);
});
