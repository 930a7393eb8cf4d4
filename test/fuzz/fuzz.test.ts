// A few cases of every reader, the same each time; `run.mjs` runs as many as there is time for.

import { afterAll, describe, expect, test } from 'vitest';
import { makeCase, runCase } from './case.ts';
import { removeScratchFolder } from './doors.ts';
import { TARGETS } from './targets/all.ts';
import { closeServer } from './targets/http.ts';

const CASES = 100;
const FIRST_SEED = 1;
/** Without a compiler and without recordings of others there is nothing to damage. */
const MAY_LACK_SEEDS = new Set(['elf', 'symbols', 'dwarf', 'unwind']);

afterAll(closeServer);
afterAll(removeScratchFolder);

describe('broken input', () => {
  test.each(TARGETS)('broken input is read or refused: $name', async (target) => {
    const seeds = target.seeds();
    if (seeds.length === 0) {
      expect(MAY_LACK_SEEDS, 'no seeds').toContain(target.name);
      return;
    }
    let changed = 0;
    for (let seed = FIRST_SEED; seed < FIRST_SEED + (target.fewCases ?? CASES); seed++) {
      const input = makeCase(target, seeds, seed);
      if (!seeds.some((whole) => Buffer.compare(whole, input) === 0)) changed++;
      const outcome = await runCase(target, input, seed);
      const again = `node test/fuzz/run.mjs --seed ${seed} --count 1 ${target.name}`;
      if (outcome.kind === 'failed') throw new Error(again, { cause: outcome.error });
    }
    expect(changed).toBeGreaterThan(10);
  });

  test('the unmutated input of each fuzz target is read', async () => {
    for (const target of TARGETS) {
      const outcomes = [];
      for (const whole of target.seeds()) outcomes.push(await runCase(target, whole, 0));
      if (outcomes.length === 0) continue;
      expect(
        outcomes.some(({ kind }) => kind === 'read'),
        target.name,
      ).toBe(true);
    }
  });
});
