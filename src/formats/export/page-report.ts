import type { Finding } from '../../findings/finding.ts';
import type { PeriodsReport } from '../../period/report/report.ts';
import type { ExportProvenance } from './export-provenance.ts';

/** The texts and figures of a page next to its pictures; sent apart, after the first picture. */
export type PageReport = {
  /** Every finding about the recording, the worst first. */
  readonly findings: readonly Finding[];
  /** The report of `perf-ts periods`. */
  readonly periods: PeriodsReport;
  /** Row in the profile's events, per event of `periods`: what has no period is not in there. */
  readonly eventRows: readonly number[];
  /** The provenance of the first weight and all events. */
  readonly provenance: ExportProvenance;
  /** A remedy for each row of `PageProfile.completeness.cut`; null: there is none. */
  readonly cutAdvice: readonly (string | null)[];
};

/** The report as JSON, with numbers that JSON has no words for as in `page-data.ts`. */
export function encodePageReport(report: PageReport): string {
  return JSON.stringify(report, (_key, value: unknown) => encodeNumber(value));
}

export function decodePageReport(text: string): PageReport {
  return JSON.parse(text, (_key, value: unknown) => decodeNumber(value)) as PageReport;
}

/** NaN and infinities as `{"$number": "NaN"}`; every other value as it is. */
export function encodeNumber(value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) };
  return value;
}

export function decodeNumber(value: unknown): unknown {
  if (typeof value === 'object' && value !== null && '$number' in value) {
    return Number(value.$number);
  }
  return value;
}
