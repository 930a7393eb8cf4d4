import { NONE } from '../../base/brand.ts';
import { rowsOf } from '../../formats/tables/profile-rows.ts';
import type { ColumnData, TableRows } from '../../formats/tables/schema.ts';
import { computeFlatReport, type FlatReport } from '../../profile/analysis/flat-report.ts';
import { boundsOfNothing } from '../../profile/analysis/shares/share-bounds.ts';
import type { ShareEstimator } from '../../profile/analysis/shares/share-steps.ts';
import { dsoLabel } from '../../profile/dso-place.ts';
import { funcLabel } from '../../profile/func-label.ts';
import { lostFunc } from '../../profile/losses.ts';
import {
  type EventIndex,
  FUNC_CATEGORIES,
  type FuncIndex,
  type Profile,
  type Weights,
} from '../../profile/types.ts';
import type { FunctionRatios } from './function-ratios.ts';

/** One event's functions with their intervals. */
export type FunctionFigures = {
  readonly event: EventIndex;
  readonly weights: Weights;
  readonly estimator: ShareEstimator | null;
  readonly report: FlatReport;
};

/** The functions of an event in these weights; their intervals where they are wanted and there is an estimator. */
export function eventFigures(
  profile: Profile,
  weights: Weights,
  of: Pick<FunctionFigures, 'event' | 'estimator'> & {
    readonly rows: Int32Array;
    /** Null: no intervals of functions; default: all. */
    readonly ofFunctions?: { readonly totals: boolean } | null;
  },
): FunctionFigures {
  const { event, estimator, rows, ofFunctions = { totals: true } } = of;
  const wanted = ofFunctions &&
    estimator && { estimator, tables: ['bySymbol'] as const, ...ofFunctions };
  return {
    event,
    weights,
    estimator,
    report: computeFlatReport(profile, weights, rows, wanted || undefined),
  };
}

/**
 * `inStep`: how samples of an event fall in step with the work; `ruleDoubt`: why its weights may be those of
 * neighbouring samples; null where they do not, or are not.
 */
export function eventRows(
  { events }: Pick<Profile, 'events'>,
  figures: readonly FunctionFigures[],
  inStep: (event: EventIndex) => string | null,
  ruleDoubt: (event: EventIndex) => string | null = () => null,
): TableRows {
  const of = <Value>(value: (figure: FunctionFigures) => Value): Value[] => figures.map(value);
  const lostBounds = ({ estimator }: FunctionFigures) => estimator?.lostBounds;
  return rowsOf(events.length, [
    Int32Array.from(events, (_, event) => event),
    events.map(({ name }) => name),
    of(({ weights }) => weights.unit),
    events.map(({ mode }) => mode),
    events.map(({ frequencyHz }) => frequencyHz),
    events.map(({ fixedPeriod }) => fixedPeriod),
    of(({ report }) => report.samples),
    of(({ report }) => report.weight),
    of(({ report }) => report.weight - report.lost),
    of(({ report }) => report.lost),
    of((figure) => figure.report.lost * (lostBounds(figure)?.least ?? 1)),
    of((figure) => figure.report.lost * (lostBounds(figure)?.most ?? 1)),
    of(({ estimator }) => estimator?.effectiveSamples ?? null),
    of(({ estimator, report }) => estimator && boundsOfNothing(estimator, report).high),
    of(({ event }) => inStep(event)),
    of(({ event }) => ruleDoubt(event)),
  ]);
}

/** Ratios of functions, each with what is unknown of it; no rows where no two events are compared. */
export function ratioRows(profile: Profile, found: FunctionRatios | null): TableRows {
  const { events } = profile;
  const rows = (found?.ratios ?? []).flatMap((ratio, i) =>
    (found?.funcs ?? []).map((func) => ({
      ratio,
      func,
      self: (found as FunctionRatios).self[i][func],
      total: (found as FunctionRatios).total[i][func],
    })),
  );
  const estimates = (of: 'self' | 'total') => [
    rows.map((row) => row[of].value),
    rows.map((row) => row[of].low),
    rows.map((row) => row[of].high),
    rows.map((row) => row[of].reason),
  ];
  return rowsOf(rows.length, [
    rows.map(({ ratio }) => ratio.name),
    rows.map(({ ratio }) => events[ratio.part].name),
    rows.map(({ ratio }) => events[ratio.whole].name),
    rows.map(({ ratio }) => ratio.per),
    ...functionColumns(
      profile,
      rows.map(({ func }) => func),
    ),
    ...estimates('self'),
    ...estimates('total'),
  ]);
}

/** Name, DSO, kind, file and line. */
export function functionColumns(profile: Profile, rows: readonly FuncIndex[]): ColumnData[] {
  const { funcs, strings } = profile;
  const lost = lostFunc(profile);
  const text = (index: number): string | null => (index === NONE ? null : strings[index]);
  return [
    rows.map((func) => funcLabel(profile, func)),
    rows.map((func) => dsoLabel(profile, funcs.dso[func])),
    rows.map((func) => (func === lost ? 'none' : FUNC_CATEGORIES[funcs.category[func]])),
    rows.map((func) => text(funcs.file[func])),
    rows.map((func) => funcs.line[func]),
  ];
}

export function functionRows(profile: Profile, figures: readonly FunctionFigures[]): TableRows {
  const rows = figures.flatMap(({ event, report }) =>
    report.bySymbol.map((row) => ({ event, ...row })),
  );
  return rowsOf(rows.length, [
    Int32Array.from(rows, ({ event }) => event),
    ...functionColumns(
      profile,
      rows.map(({ func }) => func),
    ),
    rows.map(({ selfSamples }) => selfSamples),
    rows.map(({ self }) => self),
    rows.map(({ selfShare }) => selfShare),
    rows.map(({ selfInterval }) => selfInterval?.low ?? null),
    rows.map(({ selfInterval }) => selfInterval?.high ?? null),
    rows.map(({ total }) => total),
    rows.map(({ totalShare }) => totalShare),
    rows.map(({ totalInterval }) => totalInterval?.low ?? null),
    rows.map(({ totalInterval }) => totalInterval?.high ?? null),
  ]);
}
