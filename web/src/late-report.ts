import type { PageReport } from '../../src/formats/export/page-report.ts';
import type { EventReport } from '../../src/period/report/event-report.ts';

/** What is said of a recording beside its pictures; it comes after the first one. */
export type LateReport = {
  /** Null until it is there. */
  get(): PageReport | null;
  /** Why it will not come, as a sentence; null while it may. */
  problem(): string | null;
  /** `show` is called once, when it is there or can't be had. */
  onArrival(show: () => void): void;
};

/** Of an event, by its row in the recording; undefined where the report says nothing, or is not there yet. */
export function reportOfEvent(report: LateReport, event: number): EventReport | undefined {
  const arrived = report.get();
  return arrived?.periods.events[arrived.eventRows.indexOf(event)];
}

export function createLateReport(coming: Promise<PageReport>): LateReport {
  let report: PageReport | null = null;
  let problem: string | null = null;
  const arrival = coming.then(
    (arrived) => {
      report = arrived;
    },
    (error: unknown) => {
      problem = error instanceof Error ? error.message : String(error);
    },
  );
  return {
    get: () => report,
    problem: () => problem,
    onArrival: (show) => void arrival.then(show),
  };
}
