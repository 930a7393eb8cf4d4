// Hot: some hundred times per sample of a part of the samples.

import { fft } from '../base/fft.ts';
import { median } from './distribution.ts';

/**
 * Work that comes again every `events` events, where samples come at uneven intervals: each sample's function
 * is all but certain by what the counter had counted, modulo `events`.
 *
 *     loop of 50   │A A A B│A A A B│A A A B│A A A B│A A A B│A A A B│
 *     samples       ●               ●               ●           ●     every 99 events or so: they
 *                                                                     move through the loop slowly
 *
 * Neighbouring samples then see one function, as in a phase, but no phase is there. `times`: the variance of
 * a share is so many times that of as many drawn samples. Only told where that is more than 1: samples that
 * come to any place, or to each in turn, show all of it.
 */
export type EventLoop = {
  readonly kind: 'loop';
  readonly events: number;
  readonly times: number;
};

/**
 * `counted`: what the counter had counted at each sample; `states`: its function. `isSettled`: the period's way to
 * where it rests is not among the samples.
 */
export function findEventLoop(
  counted: Float64Array,
  states: Int32Array,
  isSettled = true,
): EventLoop | null {
  const { length } = states;
  const tally = new Map<number, number>();
  for (const state of states) tally.set(state, (tally.get(state) ?? 0) + 1);
  const [first, second] = [...tally].sort((a, b) => b[1] - a[1]);
  if (second === undefined) return null;
  const signal = new Signal(counted, states, first, second);
  const line = isSettled
    ? signal
        .findLines(CANDIDATES)
        .slice(0, 1)
        .find(({ isAboveSlow }) => isAboveSlow)
    : findForetold(signal, counted, states, [first[0], second[0]]);
  if (line === undefined) return null;
  const { frequency } = line;
  let squares = 0;
  for (const count of tally.values()) squares += (count / length) ** 2;
  // A line may be one of a loop's harmonics.
  for (const harmonic of [1, 2, 3]) {
    const own = frequency / harmonic;
    const others = shareOfOthers(states, PLACES, (k) => placeIn(own, counted, k, PLACES));
    if (others > MOST_OTHERS * (1 - squares)) continue;
    const times = signal.variancesAt(own);
    return times > LEAST_TIMES ? { kind: 'loop', events: 1 / own, times } : null;
  }
  return null;
}

/** Samples that are not in the commonest function of their place, against drawn ones. */
const MOST_OTHERS = 0.35;
const LEAST_TIMES = 1.2;
/** Places of a loop that are told apart. */
const PLACES = 16;
/** Some twenty samples decide: those next to a border are to be foretold, too. */
const PLACES_OF_WAY = 64;
/** Values of the transform for each sample, … */
const VALUES_PER_SAMPLE = 64;
/** … and at most. */
const MOST_VALUES = 2 ** 17;
/** Power of a line in that which drawn samples have: e^-30 is the chance of more. */
const LEAST_POWER = 30;
/**
 * A line is that much stronger than all slow changes. A phase repeats at 1/interval as strongly at best, a loop's slow
 * image is weaker than the loop where intervals differ.
 */
const ABOVE_SLOW = 1.02;
/** A phase changes on the way once, if at all. */
const LEAST_CHANGES_OF_WAY = 3;
/**
 * Standard deviations of hits by chance. Drawn functions have more in one of four hundred, but those of a phase come in runs, and a line
 * is chosen by the same samples.
 */
const LEAST_DEVIATIONS = 2.8;
/** Lines near the strongest are looked at closely: the transform's own values lie beside their peaks. */
const CANDIDATES = 8;
/** Equal intervals have a line for each multiple of their own frequency, all but as strong; … */
const CANDIDATES_AT_REST = 64;
/** … of which the loop's is likely to be one of the strongest: others have to foretell more, as they are many. */
const LIKELY_AT_REST = 3;
const NEAR_STRONGEST = 0.4;
/** Counts are whole, so that two events' loop is the shortest that can be told. */
const HIGHEST = 0.45;

/** `frequency`: cycles an event; `isAboveSlow`: no slow change is as strong. */
type Line = { readonly frequency: number; readonly power: number; readonly isAboveSlow: boolean };

/** Whether samples are in the two commonest functions, as a complex number less its mean, along the events. */
class Signal {
  readonly #counted: Float64Array;
  readonly #real: Float64Array;
  readonly #imaginary: Float64Array;
  readonly #energy: number;

  constructor(
    counted: Float64Array,
    states: Int32Array,
    [first, ofFirst]: readonly [number, number],
    [second, ofSecond]: readonly [number, number],
  ) {
    const { length } = states;
    const a = ofFirst / length;
    const b = ofSecond / length;
    this.#counted = counted;
    this.#real = Float64Array.from(states, (state) => (state === first ? 1 : 0) - a);
    this.#imaginary = Float64Array.from(states, (state) => (state === second ? 1 : 0) - b);
    this.#energy = length * (a * (1 - a) + b * (1 - b));
  }

  /** Lines above half a cycle a sample that are as strong as none of drawn samples, the strongest first. */
  findLines(candidates: number): Line[] {
    const counted = this.#counted;
    const { length } = counted;
    const span = counted[length - 1] - counted[0] + 1;
    const power = this.#spectrum(span);
    const slowest = Math.ceil(length / 2);
    const fastest = Math.min(power.length - 1, Math.floor(HIGHEST * span));
    const peaks = this.#peaksIn(power, slowest, fastest, candidates, span);
    if (peaks.length === 0 || peaks[0].power < LEAST_POWER) return [];
    // The transform's values lie beside the peaks, some of which would be taken for less than half of what they are.
    const [slow] = this.#peaksIn(power, 1, Math.min(slowest, power.length) - 1, CANDIDATES, span);
    const least = ABOVE_SLOW * (slow?.power ?? 0);
    return peaks
      .filter((line) => line.power >= LEAST_POWER)
      .map((line) => ({ ...line, isAboveSlow: line.power >= least }));
  }

  /** The strongest of `count` peaks of the transform at `first` … `last`, the strongest first. */
  #peaksIn(
    power: Float64Array,
    first: number,
    last: number,
    count: number,
    span: number,
  ): Omit<Line, 'isAboveSlow'>[] {
    let strongest = 0;
    for (let j = first; j <= last; j++) strongest = Math.max(strongest, power[j]);
    if (strongest < NEAR_STRONGEST * LEAST_POWER) return [];
    const near: number[] = [];
    for (let j = first; j <= last; j++) if (power[j] > NEAR_STRONGEST * strongest) near.push(j);
    near.sort((a, b) => power[b] - power[a]);
    const apart: number[] = [];
    for (const j of near) {
      if (apart.length >= count) break;
      if (apart.every((other) => Math.abs(other - j) > 2)) apart.push(j);
    }
    return apart.map((j) => this.#peakAt(j, span)).sort((a, b) => b.power - a.power);
  }

  /** The peak within one value of the transform around its value `j`. */
  #peakAt(j: number, span: number): Omit<Line, 'isAboveSlow'> {
    let best = { frequency: 0, power: 0 };
    const look = (cycles: number) => {
      const frequency = cycles / span;
      const power = this.#powerAt(frequency);
      if (power > best.power) best = { frequency, power };
    };
    for (let part = -6; part <= 6; part++) look(j + part / 6);
    const near = best.frequency * span;
    for (const part of [-2, -1, 1, 2]) look(near + part / 18);
    return best;
  }

  /** Power by cycles in all of the events; 1 is what drawn samples have on average. */
  #spectrum(span: number): Float64Array {
    const counted = this.#counted;
    const wanted = Math.min(2 * span, VALUES_PER_SAMPLE * counted.length, MOST_VALUES);
    const size = 2 ** Math.ceil(Math.log2(wanted));
    const real = new Float64Array(size);
    const imaginary = new Float64Array(size);
    for (let k = 0; k < counted.length; k++) {
      const place = Math.floor(((counted[k] - counted[0]) / span) * size);
      real[place] += this.#real[k];
      imaginary[place] += this.#imaginary[k];
    }
    fft(real, imaginary);
    // A line of complex values may turn either way.
    const power = new Float64Array(size / 2);
    for (let j = 1; j < power.length; j++) {
      const forth = real[j] ** 2 + imaginary[j] ** 2;
      const back = real[size - j] ** 2 + imaginary[size - j] ** 2;
      power[j] = Math.max(forth, back) / this.#energy;
    }
    return power;
  }

  /** The power at any frequency, both ways together. */
  #powerAt(frequency: number): number {
    const counted = this.#counted;
    let realCos = 0;
    let realSin = 0;
    let imaginaryCos = 0;
    let imaginarySin = 0;
    for (let k = 0; k < counted.length; k++) {
      const angle = 2 * Math.PI * frequency * (counted[k] - counted[0]);
      const cos = Math.cos(angle);
      const sin = Math.sin(angle);
      realCos += this.#real[k] * cos;
      realSin += this.#real[k] * sin;
      imaginaryCos += this.#imaginary[k] * cos;
      imaginarySin += this.#imaginary[k] * sin;
    }
    return (realCos ** 2 + realSin ** 2 + imaginaryCos ** 2 + imaginarySin ** 2) / this.#energy;
  }

  /**
   * How many times the variance of drawn samples a share has: with ρ the mean turn from one sample to the next,
   * (1 − |ρ|²) / |1 − ρ|² for each harmonic, these by their power.
   */
  variancesAt(frequency: number): number {
    let sum = 0;
    let powers = 0;
    for (const harmonic of [1, 2, 3]) {
      const power = this.#powerAt(harmonic * frequency);
      const { cos, sin } = this.#meanTurn(harmonic * frequency);
      powers += power;
      sum += (power * (1 - cos * cos - sin * sin)) / ((1 - cos) ** 2 + sin * sin);
    }
    return sum / powers;
  }

  #meanTurn(frequency: number): { cos: number; sin: number } {
    const counted = this.#counted;
    let cos = 0;
    let sin = 0;
    for (let k = 1; k < counted.length; k++) {
      const angle = 2 * Math.PI * frequency * (counted[k] - counted[k - 1]);
      cos += Math.cos(angle);
      sin += Math.sin(angle);
    }
    return { cos: cos / (counted.length - 1), sin: sin / (counted.length - 1) };
  }
}

/** Share of the samples that are not in the commonest function of their place; `placeOf` is below `places`. */
export function shareOfOthers(
  states: Int32Array,
  places: number,
  placeOf: (sample: number) => number,
): number {
  const counts = Array.from({ length: places }, () => new Map<number, number>());
  for (let k = 0; k < states.length; k++) {
    const atPlace = counts[placeOf(k)];
    atPlace.set(states[k], (atPlace.get(states[k]) ?? 0) + 1);
  }
  let commonest = 0;
  for (const atPlace of counts) commonest += Math.max(0, ...atPlace.values());
  return 1 - commonest / states.length;
}

function placeIn(frequency: number, counted: Float64Array, k: number, places: number): number {
  const turns = (counted[k] - counted[0]) * frequency;
  return Math.floor((turns - Math.floor(turns)) * places);
}

/**
 * The line by which the samples at rest foretell those before it. Along equal intervals a short loop looks like a phase of
 * many samples, to the last event; what tells one from the other is the period's way to where it rests:
 *
 *     loop of 300    A  A  B  A  A  B  B  …  │A A A A A … A A B B B … B B A A …
 *     intervals      527 470 423 391 365 …  │299 299 299 …
 *
 * In a loop of `1 / frequency` events the functions on the way are those that later samples show at the same
 * places of it. In a phase of that time they are not: hits are then as many as the numbers of both make by chance,
 * and hardly anything changes on the way.
 */
function findForetold(
  signal: Signal,
  counted: Float64Array,
  states: Int32Array,
  functions: readonly [number, number],
): Line | undefined {
  const rest = findRest(counted);
  let changes = 0;
  for (let k = 1; k < rest; k++) if (states[k] !== states[k - 1]) changes++;
  if (rest === states.length || changes < LEAST_CHANGES_OF_WAY) return undefined;
  return signal.findLines(CANDIDATES_AT_REST).find(({ frequency }, rank) => {
    const least = Math.sqrt(
      LEAST_DEVIATIONS ** 2 + 2 * Math.log(Math.max(1, (rank + 1) / LIKELY_AT_REST)),
    );
    return deviationsOf(frequency, rest, counted, states, functions) > least;
  });
}

/**
 * The hits on the way beyond those that chance makes, in standard deviations: where as many samples as there are of each function were dealt
 * out to the places at random (hypergeometric).
 */
function deviationsOf(
  frequency: number,
  rest: number,
  counted: Float64Array,
  states: Int32Array,
  [first, second]: readonly [number, number],
): number {
  const firsts = new Int32Array(PLACES_OF_WAY);
  for (let k = rest; k < states.length; k++) {
    if (states[k] === first) firsts[placeIn(frequency, counted, k, PLACES_OF_WAY)]++;
    else if (states[k] === second) firsts[placeIn(frequency, counted, k, PLACES_OF_WAY)]--;
  }
  let all = 0;
  let foretold = 0;
  let seen = 0;
  let hits = 0;
  for (let k = 0; k < rest; k++) {
    const isFirst = states[k] === first;
    const majority = firsts[placeIn(frequency, counted, k, PLACES_OF_WAY)];
    if (majority === 0 || !(isFirst || states[k] === second)) continue;
    all++;
    if (majority > 0) foretold++;
    if (isFirst) seen++;
    if (majority > 0 === isFirst) hits++;
  }
  if (all < 2) return 0;
  const byChance = (foretold * seen + (all - foretold) * (all - seen)) / all;
  const pairs = foretold * (all - foretold) * seen * (all - seen);
  const deviation = 2 * Math.sqrt(pairs / (all * all * (all - 1)));
  return deviation > 0 ? (hits - byChance) / deviation : 0;
}

/** The first of several samples whose intervals are all of the usual length; their number where there are none. */
function findRest(counted: Float64Array): number {
  const intervals = counted.map((count, k) => count - (counted[k - 1] ?? 0));
  const usual = median(intervals);
  let atRest = 0;
  for (let k = 0; k < intervals.length; k++) {
    atRest = Math.abs(intervals[k] - usual) <= usual / 100 + 1 ? atRest + 1 : 0;
    if (atRest === PLACES) return k + 1 - PLACES;
  }
  return intervals.length;
}
