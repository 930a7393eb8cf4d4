import { lostSamplesOf } from '../../base/lost-samples.ts';
import { finish } from '../../base/slices.ts';
import { replacedBy } from '../../findings/judge-sampling.ts';
import {
  type EventProvenance,
  type ExportProvenance,
  explainProvenance,
} from '../../formats/export/export-provenance.ts';
import { withUnitOf } from '../../formats/export/weight-title.ts';
import { checkArguments, PROVENANCE } from '../../options/arguments.ts';
import { checkOptions } from '../../options/check.ts';
import {
  isRestricting,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import { reportLostSideband } from '../../profile/losses.ts';
import { recordedLength, sampledPartText } from '../../profile/sampled-time.ts';
import type {
  EventIndex,
  Profile,
  ProfileEvent,
  WeightKind,
  Weights,
} from '../../profile/types.ts';
import {
  isHeapEvent,
  isMeasuredEvent,
  isMemoryEvent,
  isWaitEvent,
} from '../../profile/wait-event.ts';
import { packageVersion } from '../../system/version.ts';
import type { AnalysedProfile } from './analysed-profile.ts';
import { findingsOf } from './findings-of.ts';

/**
 * Describes the origin of a profile's numbers: the events opened and those they replace, the source of the
 * weights, its confidence, and the losses. Every export holds this object, or points to it.
 *
 * @example
 * ```ts
 * import { describeProvenance, openProfile } from 'perf-ts';
 *
 * console.log(describeProvenance(await openProfile('perf.data')));
 * ```
 */
export function describeProvenance(
  opened: AnalysedProfile,
  options: {
    readonly weight?: WeightKind;
    readonly event?: EventIndex;
    readonly select?: SampleSelection;
  } = {},
): ExportProvenance {
  checkArguments({ opened });
  checkOptions(PROVENANCE, options, 'describeProvenance');
  const { profile } = opened;
  const kind = options.weight ?? 'events';
  const weights = opened.weights(kind, options.event, options.select);
  const rules = opened.rules();
  const rows = selectedRows(profile, options.select ?? {});
  const figures = sumByEvent(profile, weights, rows);
  const events = profile.events.flatMap((event, index): EventProvenance[] => {
    if (options.event !== undefined && options.event !== index) return [];
    const { samples, counted, weighed } = figures[index];
    const lostSamples = lostSamplesOf(profile.losses, index as EventIndex);
    const rule = rules[index] ?? null;
    const weightsFrom = sourceOf(kind, {
      measured: measuredSource(event),
      isFixed: event.mode !== 'frequency',
      // A clock's counter runs on another clock than its timer: its weights are the timer's.
      isClock: event.mode === 'clock',
      // The running time is read with the counter: without it these weights do not exist.
      readings: kind === 'time' && event.unit !== 'nanoseconds' ? samples : counted,
      samples,
      isRuleKnown: rule !== null && rule.rule !== 'unknown',
    });
    const described: Omit<EventProvenance, 'sentences'> = {
      event: event.name,
      insteadOf: replacedBy(event.name, profile.meta.notes),
      mode: event.mode,
      frequencyHz: event.frequencyHz,
      fixedPeriod: event.fixedPeriod,
      unit: withUnitOf(event, weights).unit,
      weightsFrom,
      isGuess:
        kind === 'events' &&
        (weightsFrom === 'reported-periods' ||
          (weightsFrom === 'realigned-periods' && rule?.from === 'fit')),
      rule,
      samples,
      lostSamples,
      coverage: samples + lostSamples > 0 ? samples / (samples + lostSamples) : null,
      weighed,
      // Its counter counts switches and calls, its weights are times and bytes.
      counted: isMeasuredEvent(event) ? null : opened.eventsCounted(index as EventIndex),
    };
    return [{ ...described, sentences: explainProvenance(described, kind) }];
  });
  const { kernel, arch, notes, recorder, lostSideband = 0 } = profile.meta;
  const part = sampledPartText(recordedLength(profile));
  return {
    schema: 'perf-ts/provenance@1',
    exporter: `perf-ts ${packageVersion()}`,
    recorder: recorder ?? null,
    kernel,
    arch,
    weight: kind,
    ...(opened.facts.frames !== 'all' && { frames: opened.facts.frames }),
    truncatedAt: opened.truncatedAt,
    lostSideband,
    notes: [
      ...(lostSideband > 0 ? [reportLostSideband(lostSideband)] : []),
      ...(part === null
        ? []
        : [`${part}: events were disabled in the rest, which is no idle time`]),
      ...notes,
      ...partNote(profile, rows),
    ],
    findings: findingsOf(opened),
    events,
  };
}

type EventFigures = {
  samples: number;
  /** Samples with a value of the counter. */
  counted: number;
  weighed: number;
};

/** Rows of the selected samples; null: all, whose rows are not listed. */
function selectedRows(profile: Profile, select: SampleSelection): Int32Array | null {
  if (select.event === undefined && !isRestricting(select)) return null;
  return finish(selectSamples(profile, select));
}

/** A note where samples were left out, so that nobody takes the part for the whole. */
function partNote({ samples }: Profile, rows: Int32Array | null): string[] {
  if (rows === null || rows.length === samples.length) return [];
  return [`a part of the recording: ${rows.length} of ${samples.length} samples were selected`];
}

function sumByEvent(profile: Profile, weights: Weights, rows: Int32Array | null): EventFigures[] {
  const figures = profile.events.map(() => ({ samples: 0, counted: 0, weighed: 0 }));
  const { event, count } = profile.samples;
  const length = rows === null ? profile.samples.length : rows.length;
  for (let k = 0; k < length; k++) {
    const i = rows === null ? k : rows[k];
    const of = figures[event[i]] as EventFigures;
    of.samples++;
    if (count !== null && !Number.isNaN(count[i])) of.counted++;
    of.weighed += weights.values[i];
  }
  return figures;
}

/** The source of weights that each sample measured itself; null where samples stand for others. */
function measuredSource(event: Pick<ProfileEvent, 'name'>): EventProvenance['weightsFrom'] | null {
  if (isWaitEvent(event)) return 'waits';
  if (isMemoryEvent(event)) return 'new-pages';
  if (isHeapEvent(event)) return 'heap-samples';
  return isMeasuredEvent(event) ? 'system-calls' : null;
}

function sourceOf(
  kind: WeightKind,
  found: {
    measured: EventProvenance['weightsFrom'] | null;
    isFixed: boolean;
    isClock: boolean;
    readings: number;
    samples: number;
    isRuleKnown: boolean;
  },
): EventProvenance['weightsFrom'] {
  if (kind === 'samples') return 'samples';
  if (found.measured !== null) return found.measured;
  if ((kind === 'events' || kind === 'wall') && found.isClock) return 'fixed-period';
  if (found.readings > 0) {
    return found.readings === found.samples ? 'counts' : 'counts-and-periods';
  }
  if (kind === 'period') return found.isFixed ? 'fixed-period' : 'reported-periods';
  if (found.isFixed) return 'fixed-period';
  return found.isRuleKnown ? 'realigned-periods' : 'reported-periods';
}
