import { expect, it } from 'vitest';
import { factsOf } from '../../web/src/head/facts.ts';
import { DEFAULT_STATE } from '../../web/src/state/state.ts';
import type { OpenResult } from '../../web/src/worker/messages/messages.ts';
import type { SummaryResult } from '../../web/src/worker/messages/panel-messages.ts';

it.each([
  ['heap-allocated', 'bytes', 14_700_000, '14.7 MB'],
  ['heap-bytes', 'bytes', 4096, '4.1 kB'],
  ['off-cpu', 'nanoseconds', 3e9, '3.00 s off the CPU'],
  ['page-faults', 'events', 23_056, '23 056 page-faults'],
] as const)('the head of a page of %s has the weight in %s', (name, unit, weight, fact) => {
  const recording = { events: [{ name }], endNs: 1, areLossesKnown: true } as unknown as OpenResult;
  const summary = { weight, samples: 3, unit } as unknown as SummaryResult;
  expect(factsOf(summary, recording, DEFAULT_STATE)).toEqual([fact, '3 samples']);
});
