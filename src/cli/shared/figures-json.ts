import type { Figures } from '../../profile/analysis/flat-report.ts';

/** A row's numbers as `report --json` has them; without intervals the four borders are left out. */
export function figuresJson(row: Figures) {
  return {
    self: row.self,
    total: row.total,
    selfShare: row.selfShare,
    totalShare: row.totalShare,
    selfLow: row.selfInterval?.low,
    selfHigh: row.selfInterval?.high,
    totalLow: row.totalInterval?.low,
    totalHigh: row.totalInterval?.high,
    samples: row.selfSamples,
  };
}
