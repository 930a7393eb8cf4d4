import { expect, it } from 'vitest';
import { bothTailsOfT, t95 } from '../../src/base/student.ts';

it("the limits are those of Student's table", () => {
  const limits = [1, 2, 4, 10, 30, 1000].map((degrees) => t95(degrees).toFixed(3));
  expect(limits).toEqual(['12.706', '4.303', '2.776', '2.228', '2.042', '1.962']);
});

it('the distribution gives the chance of a value so far from 0', () => {
  expect(bothTailsOfT(0, 3)).toBeCloseTo(1);
  expect(bothTailsOfT(31.821, 1)).toBeCloseTo(0.02, 5);
  expect(bothTailsOfT(-2.776, 4)).toBeCloseTo(0.05, 4);
  expect(bothTailsOfT(100, 4)).toBeLessThan(1e-6);
});
