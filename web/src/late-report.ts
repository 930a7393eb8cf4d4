import type { PeriodsReport } from '../../src/period/report/report.ts';

/** The report of `perf-ts periods`, which comes after the first picture. */
export type LateReport = {
  /** Null until it is there. */
  get(): PeriodsReport | null;
  /** Why it will not come, as a sentence; null while it may. */
  problem(): string | null;
  /** `show` is called once, when it is there or can't be had. */
  onArrival(show: () => void): void;
};

export function createLateReport(coming: Promise<PeriodsReport>): LateReport {
  let report: PeriodsReport | null = null;
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
