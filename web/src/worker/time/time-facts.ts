// Hot: once per sample.

import { getOrMake } from '../../../../src/base/group-by.ts';
import { ComputedOnce, type Slices } from '../../../../src/base/slices.ts';
import type { PageProfile } from '../../../../src/formats/export/page-profile.ts';
import type { Alignment } from '../../../../src/period/alignment.ts';
import { findRamps } from '../../../../src/period/report/convergence.ts';
import { gather, sequenceOf } from '../../../../src/period/report/sequence.ts';
import { throttlesOfGroup } from '../../../../src/period/report/throttled-time.ts';
import type { StreamGroups } from '../../../../src/period/streams.ts';
import type { PeriodInput, ThrottleInterval } from '../../../../src/period/types.ts';
import { groupSamples, type SampleGroups } from '../../../../src/profile/analysis/select/filter.ts';
import type { SampleTable } from '../../../../src/profile/types.ts';
import { alignmentOf } from '../recording/alignment-of.ts';

/** The facts that every picture of time begins with, computed once for a recording. */
export type TimeFacts = {
  readonly alignment: Alignment;
  /** 1 for samples that were taken on the way to a period, parallel to the sample table. */
  readonly isInRamp: Uint8Array;
  /** Samples by CPU + 1: key 0 has those whose CPU was not recorded. Null where nothing was lost. */
  readonly byCpu: SampleGroups | null;
  readonly pauses: readonly Pause[];
};

/** A stretch in which the kernel had paused an event, and of whom and where that was. */
export type Pause = ThrottleInterval & {
  /** Threads and CPUs that the paused streams sampled; null: it can't be told whose pause it was. */
  readonly threads: ReadonlySet<number> | null;
  readonly cpus: ReadonlySet<number> | null;
};

const known = new WeakMap<PageProfile, ComputedOnce<TimeFacts>>();

/** The facts of a page; at first it takes some looks at every sample. */
export function timeFactsOf(page: PageProfile): Slices<TimeFacts> {
  const facts = getOrMake(known, page, () => new ComputedOnce(() => computeFacts(page)));
  return facts.get();
}

function* computeFacts(page: PageProfile): Slices<TimeFacts> {
  const { periodInput, profile } = page;
  const { length } = profile.samples;
  const alignment = yield* alignmentOf(page).get();
  const { groups, elapsedEvents } = alignment;
  const isInRamp = new Uint8Array(length);
  for (let group = 0; group < groups.length; group++) {
    const event = periodInput.events[groups.event[group]];
    // Nothing adapts in the other modes.
    if (event.mode !== 'frequency') continue;
    const rows = groups.rows.subarray(groups.offsets[group], groups.offsets[group + 1]);
    const sequence = sequenceOf(periodInput, rows, elapsedEvents);
    yield;
    const { settled } = yield* findRamps(sequence);
    for (let k = 0; k < rows.length; k++) {
      if (settled[k] === 0) isInRamp[rows[k]] = 1;
    }
    yield;
  }
  const hasGaps = (periodInput.lossGaps ?? []).length > 0;
  const byCpu = hasGaps ? yield* groupByCpu(profile.samples) : null;
  return { alignment, isInRamp, byCpu, pauses: findPauses(periodInput, groups) };
}

function* groupByCpu({ length, cpu }: SampleTable): Slices<SampleGroups> {
  const all = new Int32Array(length);
  const cpuKey = new Int32Array(length);
  let cpus = 0;
  for (let i = 0; i < length; i++) {
    all[i] = i;
    cpuKey[i] = cpu[i] + 1;
    cpus = Math.max(cpus, cpuKey[i]);
  }
  yield;
  return yield* groupSamples(all, cpuKey, cpus + 1);
}

function findPauses({ samples, throttles = [] }: PeriodInput, groups: StreamGroups): Pause[] {
  if (throttles.length === 0) return [];
  const threads = new Map<ThrottleInterval, Set<number>>();
  const cpus = new Map<ThrottleInterval, Set<number>>();
  for (let group = 0; group < groups.length; group++) {
    const rows = groups.rows.subarray(groups.offsets[group], groups.offsets[group + 1]);
    const own = throttlesOfGroup(throttles, groups, group, gather(samples.timeNs, rows));
    for (const throttle of own) {
      if (!threads.has(throttle)) {
        threads.set(throttle, new Set());
        cpus.set(throttle, new Set());
      }
      for (let k = 0; k < rows.length; k++) {
        threads.get(throttle)?.add(samples.thread[rows[k]]);
        cpus.get(throttle)?.add(samples.cpu[rows[k]]);
      }
    }
  }
  return throttles.map((throttle) => ({
    ...throttle,
    threads: threads.get(throttle) ?? null,
    cpus: cpus.get(throttle) ?? null,
  }));
}
