import { describe, expect, test } from 'vitest';
import { finish } from '../../src/base/slices.ts';
import { functionsNamed } from '../../src/profile/analysis/select/find-functions.ts';
import { findLines } from '../../src/questions/lines.ts';
import { findNeighbours, type NeighbourSide } from '../../src/questions/neighbours.ts';
import type { Asked } from '../../src/questions/shares-by-key.ts';
import { nameFunction, reportFunctions, topFunctions } from '../../src/questions/top.ts';
import { profileFromText, simpleWeights } from '../helpers/profile-from-text.ts';

function ask(text: string): Asked {
  const profile = profileFromText(text);
  const rows = Int32Array.from({ length: profile.samples.length }, (_, row) => row);
  return { profile, rows, weights: simpleWeights(profile), estimator: null };
}

function neighbours(asked: Asked, name: string, side: NeighbourSide): Record<string, number> {
  const found = finish(findNeighbours(asked, functionsNamed(asked.profile, name), side));
  return Object.fromEntries(
    found.map(({ func, weight }) => [
      func === null ? '-' : nameFunction(asked.profile, func).name,
      weight,
    ]),
  );
}

const RECURSION = `
  main   main   work   main
  work   work          idle
  leaf   work
         leaf`;

describe('callers and callees', () => {
  test('callers are those of the outermost call of each stack', () => {
    expect(neighbours(ask(RECURSION), 'work', 'callers')).toEqual({ main: 2, '-': 1 });
  });

  test('callees are those of the outermost call, and the function itself', () => {
    expect(neighbours(ask(RECURSION), 'work', 'callees')).toEqual({ leaf: 1, work: 1, '-': 1 });
  });

  test('shares of either side together are those of the stacks with the function', () => {
    const asked = ask(RECURSION);
    const total = topFunctions(reportFunctions(asked, true), 'total').find(
      ({ func }) => nameFunction(asked.profile, func).name === 'work',
    );
    for (const side of ['callers', 'callees'] as const) {
      const isMeant = functionsNamed(asked.profile, 'work');
      const shares = finish(findNeighbours(asked, isMeant, side));
      expect(shares.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(total!.share, 12);
    }
  });

  test('functions of one name are taken together', () => {
    const asked = ask(`
      main    main    other
      work@a  work@b  work@b`);
    expect(neighbours(asked, 'work', 'callers')).toEqual({ main: 2, other: 1 });
  });
});

test('lines of a function count once on each stack, in self those of the innermost frame', () => {
  const drawn = ask(`
    main    main    main
    work+1  work+1  work+2
    work+2  leaf`);
  const { frames } = drawn.profile;
  const line = frames.address.map((address) => address % 0x100);
  const profile = { ...drawn.profile, frames: { ...frames, line: Int32Array.from(line) } };
  const asked = { ...drawn, profile };
  const { rows, rowOfSample } = finish(
    findLines(asked, { isMeant: functionsNamed(profile, 'work') }),
  );
  expect(rows.map((row) => [row.line, row.weight, row.total])).toEqual([
    [2, 2, 2],
    [1, 0, 2],
  ]);
  expect([...rowOfSample]).toEqual([0, -1, 0]);
});
