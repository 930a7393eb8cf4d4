import { UsageError } from '../../base/errors.ts';
import { printable } from '../../base/printable.ts';
import type { ComparedRun } from '../../profile/analysis/compare-functions.ts';
import { secondsOf } from '../../profile/analysis/diff-measure.ts';
import { isRestricting, type SampleSelection } from '../../profile/analysis/filter.ts';
import { computeFlatReport } from '../../profile/analysis/flat-report.ts';
import { comparedDsoName } from '../../profile/analysis/match-functions.ts';
import { wholeOfRun } from '../../profile/analysis/total-bounds.ts';
import type { EventIndex, WeightKind } from '../../profile/types.ts';
import type { OpenedProfile } from '../../read/open-profile.ts';
import { findEvents } from '../../read/outputs/find-events.ts';
import { notify } from '../shared/failure.ts';

/** A recording and what is selected of it. */
export type Compared = {
  readonly path: string;
  readonly opened: OpenedProfile;
  readonly select: SampleSelection;
};

/** The self shares of one event's functions, with what they are shares of. */
export function runOf(
  { opened, select }: Compared,
  event: EventIndex,
  kind: WeightKind | undefined,
  idOfFunc: Int32Array,
): ComparedRun & { readonly samples: number } {
  const { profile } = opened;
  const weights = opened.weights(kind, event, select);
  const estimator = opened.shareEstimator(weights, event, select);
  const samples = opened.samplesOf(event, select);
  const report = computeFlatReport(
    profile,
    weights,
    samples,
    estimator === null ? undefined : { estimator, tables: ['bySymbol'], totals: false },
  );
  // A clock of a CPU counts on where nothing runs, and is not sampled there.
  const isClock = profile.events[event]?.mode === 'clock';
  const counted = isClock || isRestricting(select) ? null : opened.eventsCounted(event);
  return {
    samples: samples.length,
    rows: report.bySymbol.map(({ func, selfShare, selfInterval }) => ({
      id: idOfFunc[func],
      name: profile.strings[profile.funcs.name[func]],
      dso: comparedDsoName(profile, func),
      selfShare,
      ...(selfInterval && { selfInterval }),
    })),
    ...wholeOfRun(report, weights, estimator, counted),
    seconds: secondsOf(profile, select.times),
  };
}

/** An event that all recordings have: its row in each of those looked at, and of the others. */
export type SharedEvent = {
  readonly name: string;
  readonly rows: readonly EventIndex[];
  readonly otherRows: readonly EventIndex[];
};

/**
 * The events of the first recording, or the one that `-e` names, as far as all others have them, too; what
 * one has not is said. What an engine's own profiler or a speedscope file measured goes with the first
 * event of a recording, since no recording has an event of that name. Throws `UsageError` where nothing is left to
 * compare.
 */
export function sharedEvents(
  mine: readonly Compared[],
  others: readonly Compared[],
  wanted: string | undefined,
): SharedEvent[] {
  const [{ opened: first, path }] = mine;
  const names =
    wanted === undefined
      ? first.profile.events.map(({ name }) => name)
      : [first.profile.events[eventOf(first, wanted, path)].name];
  const shared: SharedEvent[] = [];
  const missing: UsageError[] = [];
  for (const name of names) {
    try {
      const rowsOf = (side: readonly Compared[]): EventIndex[] =>
        side.map((compared) => eventOf(compared.opened, name, compared.path));
      shared.push({ name, rows: rowsOf(mine), otherRows: rowsOf(others) });
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      missing.push(error);
    }
  }
  const all = [...mine, ...others];
  const isOfOther = all.some(({ opened: { facts } }) =>
    ['cpuprofile', 'speedscope'].includes(facts.imported ?? ''),
  );
  if (shared.length === 0 && wanted === undefined && isOfOther) {
    const [name = '', otherName = ''] = [mine, others].map(
      ([{ opened }]) => opened.profile.events[0]?.name,
    );
    notify(`perf-ts: ${printable(name)} is compared with ${printable(otherName)} before`);
    const firsts = (side: readonly Compared[]) => side.map(() => 0 as EventIndex);
    return [{ name, rows: firsts(mine), otherRows: firsts(others) }];
  }
  const [problem] = missing;
  if (problem !== undefined && shared.length === 0) throw problem;
  for (const { message } of missing) notify(`perf-ts: not compared: ${message}`);
  return shared;
}

/** The event with this name, or an error that names the recording. */
function eventOf(opened: OpenedProfile, name: string, path: string): EventIndex {
  const names = opened.profile.events.map((event) => event.name);
  return findEvents(names, name, [], path)[0] as EventIndex;
}
