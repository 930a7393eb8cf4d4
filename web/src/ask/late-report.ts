import { messageOf } from '../../../src/base/errors.ts';
import type { PageReport } from '../../../src/formats/export/page-report.ts';
import type { EventReport } from '../../../src/period/report/event-report.ts';

/** The report on a recording beside its pictures; it comes after the first one. */
export type LateReport = {
  /** Null until it is there. The last that came: that of a live recording is a little late. */
  get(): PageReport | null;
  /** Why it will not come, as a sentence; null while it may. */
  problem(): string | null;
  /** `show` is called when it is there or can't be had, and again when a later one has come. */
  onArrival(show: () => void): void;
};

/** A report, and a later one of a recording that grows. */
export type GrowingReport = LateReport & { expect(coming: Promise<PageReport>): void };

/**
 * The report on an event, by its row in the recording; undefined where the report says nothing, or
 * is not there yet.
 */
export function reportOfEvent(report: LateReport, event: number): EventReport | undefined {
  const arrived = report.get();
  return arrived?.periods.events[arrived.eventRows.indexOf(event)];
}

export function createLateReport(first: Promise<PageReport>): GrowingReport {
  const listeners = new Set<() => void>();
  let report: PageReport | null = null;
  let problem: string | null = null;
  let awaited = first;

  function expect(coming: Promise<PageReport>): void {
    awaited = coming;
    const arrive = (show: () => void) => {
      // Not where a later one is expected.
      if (awaited !== coming) return;
      show();
      for (const listener of [...listeners]) listener();
    };
    coming.then(
      (arrived) =>
        arrive(() => {
          report = arrived;
          problem = null;
        }),
      (error: unknown) =>
        arrive(() => {
          problem = messageOf(error);
        }),
    );
  }

  expect(first);
  return {
    get: () => report,
    problem: () => problem,
    onArrival: (show) => void listeners.add(show),
    expect,
  };
}
