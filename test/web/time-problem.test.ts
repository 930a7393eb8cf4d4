import { expect, it } from 'vitest';
import { timeProblem } from '../../web/src/time/time-problem.ts';
import type { OpenResult } from '../../web/src/worker/messages/messages.ts';

const of = (samples: number[], endNs: number) =>
  timeProblem({
    events: samples.map((count) => ({ samples: count })),
    endNs,
  } as unknown as OpenResult);

it('a recording without a timeline gives the reason', () => {
  expect(of([0, 0], 0)).toContain('no samples');
  expect(of([1], 0)).toContain('One sample');
  expect(of([10, 5], 0)).toContain('no time stamps');
  expect(of([1, 1], 5)).toBeNull();
});
