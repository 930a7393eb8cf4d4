import { expect, it } from 'vitest';
import type { EventReport } from '../../src/period/report/event-report.ts';
import { createLateReport, reportOfEvent } from '../../web/src/late-report.ts';

const events = ['cycles', 'instructions', 'off-cpu', 'page-faults', 'cycles'].map(
  (name) => ({ name }) as never,
);
/** The member of a group and the event of waits have no period. */
const reported = ['cycles', 'page-faults', 'cycles'].map(
  (event, rank) => ({ event, samples: rank }) as unknown as EventReport,
);

it('finds the report of an event where others are in no report', async () => {
  const report = createLateReport(Promise.resolve({ periods: { events: reported } } as never));
  await new Promise<void>((arrived) => report.onArrival(arrived));
  const found = events.map((_, index) => reportOfEvent(report, { events }, index)?.samples ?? null);
  expect(found).toStrictEqual([0, null, null, 1, 2]);
});
