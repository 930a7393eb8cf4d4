import { expect, it, vi } from 'vitest';
import type { EventReport } from '../../src/period/report/event-report.ts';
import { createLateReport, reportOfEvent } from '../../web/src/ask/late-report.ts';

it("the late report finds an event's report among others", async () => {
  // Rows 1 and 2, the member of a group and the event of waits, have no period; names may repeat.
  const reported = ['cycles', 'page-faults', 'cycles'].map(
    (event, rank) => ({ event, samples: rank }) as unknown as EventReport,
  );
  const arriving = { periods: { events: reported }, eventRows: [0, 3, 4] };
  const report = createLateReport(Promise.resolve(arriving as never));
  expect(reportOfEvent(report, 0)).toBeUndefined();
  await new Promise<void>((arrived) => report.onArrival(arrived));
  const found = [0, 1, 2, 3, 4].map((row) => reportOfEvent(report, row)?.samples ?? null);
  expect(found).toStrictEqual([0, null, null, 1, 2]);
});

it('the late report of a recording that grows is the last that was expected', async () => {
  const reportOf = (samples: number) => {
    const events = [{ event: 'cycles', samples }];
    return { periods: { events }, eventRows: [0] } as never;
  };
  let arriveLate: (report: never) => void = () => {};
  const late = new Promise<never>((resolve) => {
    arriveLate = resolve;
  });
  const report = createLateReport(Promise.resolve(reportOf(1)));
  const seen: (number | null)[] = [];
  report.onArrival(() => seen.push(reportOfEvent(report, 0)?.samples ?? null));
  await vi.waitFor(() => expect(seen).toStrictEqual([1]));
  report.expect(late);
  report.expect(Promise.resolve(reportOf(3)));
  await vi.waitFor(() => expect(seen).toStrictEqual([1, 3]));
  arriveLate(reportOf(2));
  report.expect(Promise.reject(new Error('gone')));
  await vi.waitFor(() => expect(report.problem()).toBe('gone'));
  // The report that was there stays.
  expect(seen).toStrictEqual([1, 3, 3]);
});
