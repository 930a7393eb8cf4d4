import { median } from './distribution.ts';

/**
 * Samples may move slowly through work that comes again about once a sample, each to nearly the place that the one before saw:
 *
 *     work       │A A A A B B│A A A A A B B│A A A B B│A A A A B B│…
 *     samples      ●            ●           ●         ●              A, for a while, as in a phase of many samples
 *     phases     │A A A A A A A A A A A A A A A A A A│B B B B B B …
 *
 * By their functions alone the two can't be told apart, nor can intervals hold both: those of phases are right inside of a phase. Times tell
 * where functions make events at rates of their own. In phases an interval whose two samples are in A goes at A's rate. Here each interval
 * has all of the work in it, so that its rate is nearly the same whatever its samples are in, and not quite, as each time is a little different.
 */
export type OnceASample = { readonly kind: 'once-a-sample' };

/** Samples of a stream: fewer tell nothing. */
const LEAST_SAMPLES = 64;
/** Changes of functions from one sample to the next, against drawn samples: phases of very many samples, and functions as good as drawn. */
const FEWEST_CHANGES = 0.02;
const MOST_CHANGES = 0.85;
/**
 * The part of the variance of rates that the functions of an interval's two samples tell: 0.4 and more in phases of different rates. Where rates
 * are close it is more: an interval that is a little longer than the work has more of the functions that samples pass.
 */
const MOST_TOLD = 0.35;
const CLOSE = 0.05;
const MOST_TOLD_OF_CLOSE = 0.9;
/** Deviations of rates: less is that of one rate, where counts are whole; more is that of intervals with any work in them. */
const LEAST_DEVIATION = 0.003;
const LEAST_PART_OF_EVENT = 0.25;
const MOST_DEVIATION = 0.25;
/** The logarithm of a rate counts as no further from the usual one: a pause says no more. */
const FURTHEST = Math.LN2;
/** Intervals that differ from the usual one by less are like it. */
const LIKE_USUAL = 0.1;
/** The logarithm of the odds that phases are at most. */
const MOST_ODDS_OF_PHASES = 7;
/** Borders that samples pass on their way through the work, for one time. */
const BORDERS = 2;

/** The functions of a stream's samples as numbers from 0, and the events and the time before each. */
type Samples = {
  readonly states: Int32Array;
  readonly events: Float64Array;
  readonly ns: Float64Array;
};

/** Null where nothing of it is to be seen. `arrived`: events before each sample, of which the kernel moves the number. */
export function findOnceASample(
  streams: readonly Int32Array[],
  place: ArrayLike<number>,
  arrived: Float64Array,
  timeNs: Float64Array,
): OnceASample | null {
  const numbers = new Map<number, number>();
  const long = streams
    .filter(({ length }) => length >= LEAST_SAMPLES)
    .map((rows): Samples => {
      const states = Int32Array.from(rows, (row) => {
        const number = numbers.get(place[row]) ?? numbers.size;
        numbers.set(place[row], number);
        return number;
      });
      const events = Float64Array.from(rows, (row) => arrived[row]);
      const ns = Float64Array.from(
        rows,
        (row, k) => timeNs[row] - timeNs[rows[Math.max(0, k - 1)]],
      );
      return { states, events, ns };
    });
  const { changes, byChance } = changesOf(long, numbers.size);
  const share = changes / byChance;
  if (!(share > FEWEST_CHANGES && share < MOST_CHANGES)) return null;
  const { told, deviation, events } = ratesOf(long, numbers.size);
  const least = Math.max(LEAST_DEVIATION, LEAST_PART_OF_EVENT / events);
  const most = deviation < CLOSE ? MOST_TOLD_OF_CLOSE : MOST_TOLD;
  if (!(told < most && deviation > least && deviation < MOST_DEVIATION)) return null;
  let odds = 0;
  for (const samples of long) odds += oddsOfPhases(samples, byChance);
  return odds > MOST_ODDS_OF_PHASES ? null : { kind: 'once-a-sample' };
}

/** The share of samples whose function is not that of the one before, and that of two drawn ones. */
function changesOf(
  streams: readonly Samples[],
  functions: number,
): { changes: number; byChance: number } {
  const counts = new Float64Array(functions);
  let samples = 0;
  let changed = 0;
  for (const { states } of streams) {
    for (let k = 0; k < states.length; k++) {
      counts[states[k]]++;
      if (k > 0 && states[k] !== states[k - 1]) changed++;
    }
    samples += states.length;
  }
  const equal = counts.reduce((sum, count) => sum + (count / samples) ** 2, 0);
  return { changes: changed / (samples - streams.length), byChance: 1 - equal };
}

/**
 * How far logarithms of rates are spread behind the first samples, and what part of their variance the functions of both samples tell, less
 * what means of so few tell by chance; and the events of an interval.
 */
function ratesOf(
  streams: readonly Samples[],
  functions: number,
): { told: number; deviation: number; events: number } {
  const rates: number[] = [];
  const ends: number[] = [];
  const between: number[] = [];
  for (const { states, events, ns } of streams) {
    for (let k = states.length >> 3; k < states.length; k++) {
      if (!(ns[k] > 0 && events[k] > 0)) continue;
      rates.push(Math.log(ns[k] / events[k]));
      ends.push(states[k - 1] * functions + states[k]);
      between.push(events[k]);
    }
  }
  if (rates.length === 0) return { told: 1, deviation: 0, events: 1 };
  const usual = median(rates);
  const ofEnds = new Map<number, { count: number; sum: number }>();
  let sum = 0;
  let squares = 0;
  for (let i = 0; i < rates.length; i++) {
    const rate = Math.max(-FURTHEST, Math.min(FURTHEST, rates[i] - usual));
    const group = ofEnds.get(ends[i]) ?? { count: 0, sum: 0 };
    ofEnds.set(ends[i], group);
    group.count++;
    group.sum += rate;
    sum += rate;
    squares += rate * rate;
  }
  const mean = sum / rates.length;
  const variance = squares / rates.length - mean * mean;
  let told = -(ofEnds.size - 1) * variance;
  for (const group of ofEnds.values()) told += group.count * (group.sum / group.count - mean) ** 2;
  return {
    told: told / (rates.length * variance),
    deviation: Math.sqrt(variance),
    events: median(between),
  };
}

/**
 * The logarithm of how much likelier phases are, by intervals that are not of the usual length: in phases functions change the oftener the longer
 * an interval is, in work that comes again by how far it is from a multiple of the work's length.
 */
function oddsOfPhases({ states, events }: Samples, byChance: number): number {
  const usual = median(events);
  const isUsual = (k: number) => Math.abs(events[k] - usual) < LIKE_USUAL * usual;
  let changed = 0;
  let alike = 0;
  for (let k = 1; k < states.length; k++) {
    if (!isUsual(k)) continue;
    alike++;
    if (states[k] !== states[k - 1]) changed++;
  }
  if (alike === 0) return 0;
  const often = Math.max(changed, 0.5) / alike;
  let odds = 0;
  for (let k = 1; k < states.length; k++) {
    if (isUsual(k)) continue;
    const times = events[k] / usual;
    const inPhases = chanceOfChange(often * times, byChance);
    const beside = Math.abs(times - Math.round(times));
    const ifAgain = chanceOfChange(often + BORDERS * beside, byChance);
    odds +=
      states[k] === states[k - 1]
        ? Math.log((1 - inPhases) / (1 - ifAgain))
        : Math.log(inPhases / ifAgain);
  }
  return odds;
}

/** The chance that two samples are in different functions, `borders` between them on average; never certain. */
function chanceOfChange(borders: number, byChance: number): number {
  return Math.min(0.97, byChance * (1 - Math.exp(-borders / byChance))) + 0.01;
}
