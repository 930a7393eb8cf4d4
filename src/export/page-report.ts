import type { PeriodsReport } from '../period/report/report.ts';

/**
 * The report of `perf-ts periods` as a text for the page. It travels apart from the profile: the
 * page draws its first picture without it, and what only the report knows follows. JSON, with
 * numbers that JSON has no words for as in `page-data.ts`.
 */
export function encodePageReport(report: PeriodsReport): string {
  return JSON.stringify(report, (_key, value: unknown) => encodeNumber(value));
}

export function decodePageReport(text: string): PeriodsReport {
  return JSON.parse(text, (_key, value: unknown) => decodeNumber(value)) as PeriodsReport;
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
