import type { PageReport } from '../../src/export/page-report.ts';
import type { EventReport } from '../../src/period/report/event-report.ts';
import type { OpenResult } from './worker/messages.ts';

/** What is said of a recording beside its pictures; it comes after the first one. */
export type LateReport = {
  /** Null until it is there. */
  get(): PageReport | null;
  /** Why it will not come, as a sentence; null while it may. */
  problem(): string | null;
  /** `show` is called once, when it is there or can't be had. */
  onArrival(show: () => void): void;
};

/**
 * What the report says of an event, by its row in the recording; undefined where it says nothing, or
 * is not there yet. Events that are sampled with another one, or whose samples are context switches,
 * have no period and are not in the report, so rows of the one are not rows of the other.
 */
export function reportOfEvent(
  report: LateReport,
  { events }: Pick<OpenResult, 'events'>,
  index: number,
): EventReport | undefined {
  const name = events[index]?.name;
  const earlier = events.slice(0, index).filter((event) => event.name === name).length;
  return report.get()?.periods.events.filter(({ event }) => event === name)[earlier];
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
