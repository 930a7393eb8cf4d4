import { expect, it } from 'vitest';
import type { TopOptions } from '../../../src/options/top.ts';
import { checkCombinations } from '../../../src/record/plan/check-options.ts';

it("options of top's own are none of a recording, and refused by none of its checks", () => {
  const options: TopOptions = { systemWide: true, intervalMs: 2000, windowMs: 10_000 };
  expect(() => checkCombinations(options)).not.toThrow();
});
