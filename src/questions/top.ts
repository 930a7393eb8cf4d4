import { computeFlatReport, type FlatReport } from '../profile/analysis/flat-report.ts';
import { dsoLabel } from '../profile/dso-place.ts';
import { funcLabel } from '../profile/func-label.ts';
import type { FuncIndex, Profile } from '../profile/types.ts';
import type { Asked, Share } from './shares-by-key.ts';

/** A function by what it did itself, or with all that it called. */
export type TopFunction = Share & { readonly func: FuncIndex };
export type TopBy = 'self' | 'total';

/** The tables of functions, with intervals of their selfs, and of totals where they are wanted. */
export function reportFunctions(asked: Asked, totals: boolean): FlatReport {
  const { profile, weights, rows, estimator } = asked;
  const wanted = estimator && { estimator, tables: ['bySymbol'] as const, totals };
  return computeFlatReport(profile, weights, rows, wanted ?? undefined);
}

/** The functions of a report that have any weight, heaviest first; what was lost is one of them. */
export function topFunctions({ bySymbol }: FlatReport, by: TopBy): TopFunction[] {
  return bySymbol
    .map((row) => ({
      func: row.func,
      weight: row[by],
      samples: row.selfSamples,
      share: by === 'self' ? row.selfShare : row.totalShare,
      interval: (by === 'self' ? row.selfInterval : row.totalInterval) ?? null,
    }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
}

/** A function as every answer names it: its label, and that of its DSO, empty where it has none. */
export function nameFunction(profile: Profile, func: FuncIndex): { name: string; dso: string } {
  return { name: funcLabel(profile, func), dso: dsoLabel(profile, profile.funcs.dso[func]) };
}
