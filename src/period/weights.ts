import { FailedError } from '../base/errors.ts';
import { lostSamplesOf } from '../base/lost-samples.ts';
import { finish } from '../base/slices.ts';
import type { SamplePlaces } from '../profile/sample-places.ts';
import type { EventUnit, LostBounds, ProfileEvent, WeightKind, Weights } from '../profile/types.ts';
import { type Alignment, alignPeriods } from './alignment.ts';
import { splitIntervals } from './interval-split.ts';
import type { StreamGroups } from './streams.ts';
import { computeTails } from './tail-events.ts';
import type { PeriodInput } from './types.ts';
import { addUnlocatedLoss } from './unlocated-loss.ts';

/**
 * Computes what each sample counts for.
 *
 * | kind    | one sample weighs                                             | good for |
 * |---------|---------------------------------------------------------------|----------|
 * | samples | 1                                                             | how many samples a claim rests on |
 * | period  | what `perf` takes: the period in the sample, or `counted`     | comparing with `perf` |
 * | events  | the events since the stream's previous sample, phases divided | where the events went; the default |
 * | time    | the event's running time since the stream's previous sample   | where the time went |
 * | wall    | `events`, divided by the recorded threads that ran then       | what others waited for: who runs alone counts whole |
 *
 * `counted`: where the sample reads its counter, what it has counted since the stream's previous sample.
 * `period` without counts gives a sample the cost of the interval that *follows* it wherever the
 * rule is 'next' (`period-rule.ts`); `events` gives it what it really ended, less what belongs to the
 * phase before it (`interval-split.ts`). `time` never charges sleep: it needs the counter's own clock
 * in the samples, or an event that is a clock itself. Under loss neither gives a sample what the
 * lost ones stood for: that is in `lostBefore` (`loss-gaps.ts`, and without counts
 * `unlocated-loss.ts`).
 *
 * `places`: where the samples lie, for what many tasks have in common; null: that is not looked for.
 *
 * Throws `FailedError` for `time` and `wall` where that was not recorded.
 */
export function computeWeights(
  kind: WeightKind,
  input: PeriodInput,
  align: () => Alignment = () => finish(alignPeriods(input)),
  places: () => SamplePlaces | null = () => null,
): Weights {
  switch (kind) {
    case 'samples':
      return { kind, unit: 'samples', values: new Float64Array(input.samples.length).fill(1) };
    case 'period':
      return {
        kind,
        unit: commonUnit(input.events),
        values: perfPeriods(input, () => align().groups),
      };
    case 'events': {
      const { groups, arrivedEvents, ...aligned } = align();
      const divided = splitIntervals(arrivedEvents, input, groups, aligned.lostBefore, places());
      // Nothing is added to the column where nothing was lost, and it need not be copied.
      const { losses = [] } = input;
      const hasLost = input.events.some((_, event) => lostSamplesOf(losses, event) > 0);
      const lostBefore = hasLost ? aligned.lostBefore.slice() : aligned.lostBefore;
      const unlocated = addUnlocatedLoss(lostBefore, arrivedEvents, input);
      const bounds = aligned.lostBounds.map((located, event) => unlocated[event] ?? located);
      const tails = computeTails(input, groups, arrivedEvents, lostBefore);
      const values = tails === null ? divided : divided.map((value, row) => value + tails[row]);
      return {
        kind,
        unit: commonUnit(input.events),
        values,
        ...(tails !== null && { tails }),
        ...onlyIfAny(lostBefore, bounds),
      };
    }
    case 'time': {
      const { groups, elapsedEvents, ...aligned } = align();
      const values = computeRunningTime(input, groups);
      const lostBefore = aligned.lostBefore.slice();
      for (let i = 0; i < values.length; i++) {
        if (lostBefore[i] === 0) continue;
        // A gap is known by its events; of the interval's time it gets their share.
        lostBefore[i] *= values[i] / elapsedEvents[i];
        values[i] -= lostBefore[i];
      }
      return { kind, unit: 'nanoseconds', values, ...onlyIfAny(lostBefore, aligned.lostBounds) };
    }
    case 'wall': {
      const { threadsRunning } = input.samples;
      if (threadsRunning === undefined) throw noThreadsRunning();
      const { values, tails, lostBefore, ...events } = computeWeights(
        'events',
        input,
        align,
        places,
      );
      return {
        ...events,
        kind,
        values: divideByThreads(values, threadsRunning),
        ...(tails && { tails: divideByThreads(tails, threadsRunning) }),
        ...(lostBefore && { lostBefore: divideByThreads(lostBefore, threadsRunning) }),
      };
    }
  }
}

function noThreadsRunning(): FailedError {
  return new FailedError('this recording does not hold when threads came onto a CPU and left it', [
    'record with --switch-events, or weigh by another measure, such as events',
  ]);
}

/** Waits have no number of threads, and keep their length. */
function divideByThreads(values: Float64Array, threadsRunning: Float64Array): Float64Array {
  const divided = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const threads = threadsRunning[i];
    divided[i] = threads > 1 ? values[i] / threads : values[i];
  }
  return divided;
}

function onlyIfAny(
  lostBefore: Float64Array,
  lostBounds: readonly (LostBounds | null)[],
): Pick<Weights, 'lostBefore' | 'lostBounds'> {
  return lostBefore.some((value) => value !== 0) ? { lostBefore, lostBounds } : {};
}

/**
 * The periods that perf adds up. Of samples that read their counter (PERF_SAMPLE_READ) it takes the
 * difference of the counts, for clocks too, though their counts are nanoseconds of another clock
 * than the timer's. perf before 6.12 keeps the last count by event id, which all children of an
 * inherited event share: its differences are nonsense where several threads ran, and are not
 * repeated here.
 */
function perfPeriods(input: PeriodInput, groupsOf: () => StreamGroups): Float64Array {
  const { periodEvents, count } = input.samples;
  const values = new Float64Array(periodEvents);
  if (count === null || count.every(Number.isNaN)) return values;
  const groups = groupsOf();
  for (let g = 0; g < groups.length; g++) {
    const end = groups.offsets[g + 1];
    let previous = 0;
    for (let k = groups.offsets[g]; k < end; k++) {
      const row = groups.rows[k];
      const counted = count[row] - previous;
      if (counted >= 0) values[row] = counted;
      previous = count[row];
    }
  }
  return values;
}

/** The unit that all events have; those of different kinds are only "events". */
export function commonUnit(events: readonly Pick<ProfileEvent, 'unit'>[]): EventUnit {
  const unit = events[0]?.unit ?? 'events';
  return events.every((event) => event.unit === unit) ? unit : 'events';
}

/** Running time since the stream's previous sample, in nanoseconds, per sample. */
function computeRunningTime(input: PeriodInput, groups: StreamGroups): Float64Array {
  const { length, periodEvents, runningNs } = input.samples;
  const values = new Float64Array(length);
  for (let g = 0; g < groups.length; g++) {
    const event = input.events[groups.event[g]];
    const start = groups.offsets[g];
    const end = groups.offsets[g + 1];
    let previous = 0;
    for (let k = start; k < end; k++) {
      const row = groups.rows[k];
      const running = runningNs ? runningNs[row] : Number.NaN;
      const spent = running - previous;
      if (spent >= 0) {
        values[row] = spent;
        previous = running;
      } else if (event.unit === 'nanoseconds') {
        values[row] = periodEvents[row];
      } else {
        throw new FailedError(
          `${event.name}: this recording does not hold the event's running time`,
          [
            'The gap between two samples may be sleep, so it is not used in its place.',
            'record with --counts, or weigh by another measure, such as events',
          ],
        );
      }
    }
  }
  return values;
}

/**
 * Effective sample size (Σw)²/Σw² of the samples `rows`, or of all: as many samples of equal weight would
 * tell as much. Null where nothing has weight.
 */
export function effectiveSampleSize(weights: Float64Array, rows?: Int32Array): number | null {
  const length = rows?.length ?? weights.length;
  let sum = 0;
  let squares = 0;
  for (let k = 0; k < length; k++) {
    const weight = weights[rows === undefined ? k : rows[k]];
    sum += weight;
    squares += weight * weight;
  }
  return squares > 0 ? (sum * sum) / squares : null;
}
