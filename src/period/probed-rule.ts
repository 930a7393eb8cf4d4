import { finish } from '../base/slices.ts';
import type { ProbedRule } from '../profile/types.ts';
import { areCountsBehind } from './count-lag.ts';
import { ruleFromCounts } from './period-rule.ts';
import { groupByStream } from './streams.ts';
import type { PeriodInput } from './types.ts';

/** A start of a probe: time in ns, period and count of each sample, in order, three numbers each. */
export type ProbedSamples = Float64Array;

/** Times contradict a rule that they fit so many times worse than the other one. */
const CONTRADICTS = 3;
/** Fewer intervals have no spread that could be compared. */
const MIN_INTERVALS = 8;

/**
 * Finds the interval that a period counts from samples of a thread that did work of a constant rate. Two
 * sources must not contradict each other:
 *
 *  1. Counts, as in a recording (`period-rule.ts`). Where the first sample of the starts counts nothing,
 *     counts lag by a sample (`count-lag.ts`) and are shifted before they vote.
 *  2. Times. At a constant rate the period over the length of its own interval is constant, and the
 *     period over the length of a neighbouring one is not.
 *
 * Null where the samples are too few, or their periods too equal, to tell.
 */
export function ruleOfProbe(starts: readonly ProbedSamples[]): ProbedRule | null {
  const raw = inputOf(starts);
  const groups = finish(groupByStream(raw));
  const all = Int32Array.from({ length: groups.length }, (_, g) => g);
  const countsLag = areCountsBehind(raw, groups, all);
  const input = countsLag ? inputOf(starts.map(withNextCounts)) : raw;
  const own = countsLag ? finish(groupByStream(input)) : groups;
  const counted = finish(ruleFromCounts(input, own, all));
  if (counted === null) return null;
  const { rule, votes, confidence } = counted;
  const byTimes = ruleFromTimes(starts);
  if (byTimes !== null && byTimes !== rule) return null;
  return { rule, countsLag, votes, majority: confidence, samples: raw.samples.length };
}

/** The samples with the count of the one after each; the last one's is not known. */
function withNextCounts(start: ProbedSamples): ProbedSamples {
  const shifted = start.slice(0, Math.max(0, start.length - 3));
  for (let at = 2; at < shifted.length; at += 3) shifted[at] = start[at + 3];
  return shifted;
}

/** Input with one event in frequency mode, each start an instance of its own. */
function inputOf(starts: readonly ProbedSamples[]): PeriodInput {
  const length = starts.reduce((sum, start) => sum + start.length / 3, 0);
  const [timeNs, periodEvents, count] = [0, 1, 2].map((field) =>
    Float64Array.from(
      starts.flatMap((start) => Array.from(start).filter((_, at) => at % 3 === field)),
    ),
  );
  const stream = Int32Array.from(
    starts.flatMap((start, index) => new Array<number>(start.length / 3).fill(index)),
  );
  const zeros = new Int32Array(length);
  const event = { name: 'probe', type: 0, mode: 'frequency', unit: 'events' } as const;
  return {
    samples: {
      length,
      event: zeros,
      stream,
      thread: zeros,
      cpu: zeros,
      timeNs,
      periodEvents,
      count,
    },
    events: [{ ...event, frequencyHz: null, fixedPeriod: null }],
    streams: starts.map((_, index) => ({ streamId: String(index) })),
    threads: [{ tid: 0 }],
  };
}

/** Null: neither rule fits the times much better than the other. */
function ruleFromTimes(starts: readonly ProbedSamples[]): 'next' | 'elapsed' | null {
  const next: number[] = [];
  const elapsed: number[] = [];
  for (const start of starts) {
    for (let at = 3; at + 2 < start.length; at += 3) {
      const lengthNs = start[at] - start[at - 3];
      if (lengthNs > 0 && start[at - 2] > 0 && start[at + 1] > 0) {
        next.push(Math.log(start[at - 2] / lengthNs));
        elapsed.push(Math.log(start[at + 1] / lengthNs));
      }
    }
  }
  if (next.length < MIN_INTERVALS) return null;
  const [spreadOfNext, spreadOfElapsed] = [spreadOf(next), spreadOf(elapsed)];
  if (spreadOfElapsed > CONTRADICTS * spreadOfNext) return 'next';
  return spreadOfNext > CONTRADICTS * spreadOfElapsed ? 'elapsed' : null;
}

/** Half the distance between the quartiles: what the recorder was interrupted by does not count. */
function spreadOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (part: number) => sorted[Math.floor(part * (sorted.length - 1))];
  return (at(0.75) - at(0.25)) / 2;
}
