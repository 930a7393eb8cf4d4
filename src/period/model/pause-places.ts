// Hot: once per switch.

import type { PacedInterval, Ticks } from './interval-ticks.ts';
import { ALIGNED_NS, isWholeTicks } from './ticks.ts';

/** Places that are kept; an interval with more is far longer than its neighbours. */
const MAX_PLACES = 64;

/**
 * When an event that was off for so long in an interval can have been off.
 *
 * The scheduler mostly switches on ticks, so a time off of whole ticks began on a tick, which met
 * the event, and ended on one, which met the other task. In an interval with room for it the two
 * tasks may have taken turns:
 *
 *     ticks      ────┼───────┼───────┼───────┼───────┼──
 *     3 off      ████░░░░░░░░░░░░░░░░░░░░░░░░████████           once, three ticks long
 *     3 off      ████░░░░░░░░████████░░░░░░░░████████░░ …       or in turns
 *
 * Any other time off is taken as turns, too, or as one pause, at one place for each set of ticks
 * that it leaves out.
 */
export class PausePlaces {
  length = 0;
  /** Start of the first pause at each place, in nanoseconds after the interval's start. */
  readonly #startNs = new Float64Array(MAX_PLACES);
  readonly #pauses = new Uint16Array(MAX_PLACES);
  /** Time from the beginning of one pause to that of the next. */
  readonly #cycleNs = new Float64Array(MAX_PLACES);
  readonly #borders: number[] = [];
  #offNs = 0;
  #missedNs = 0;

  /** Lists the places for `offNs` in `interval`, from the next tick on. At least one. */
  list(interval: PacedInterval, ticks: Ticks, offNs: number): void {
    this.length = 0;
    this.#offNs = offNs;
    this.#missedNs = offNs;
    if (isWholeTicks(offNs, ticks.lengthNs)) this.#listOnTicks(interval, ticks);
    if (this.length > 0) return;
    this.#listAnywhere(interval, ticks);
    this.#listTurns(interval, ticks);
  }

  /** Makes the pauses of place `k` those of `interval`. */
  apply(k: number, interval: PacedInterval): void {
    const pauses = this.#pauses[k];
    interval.pauseNs = this.#startNs[k];
    interval.pauses = pauses;
    interval.cycleNs = this.#cycleNs[k];
    interval.pauseLengthNs = this.#offNs / pauses;
    interval.missedNs = this.#missedNs / pauses;
  }

  #listOnTicks(interval: PacedInterval, ticks: Ticks): void {
    const { lengthNs } = ticks;
    const active = interval.endNs - interval.startNs - this.#offNs;
    // The tick that ends a pause met the other task, however late it was.
    this.#missedNs = this.#offNs + Math.round(this.#offNs / lengthNs) * ALIGNED_NS;
    const first = ticks.nextNs - interval.startNs;
    for (let start = first; start <= active; start += lengthNs) this.#add(start, 1, 1);
    this.#listTurns(interval, ticks);
  }

  /** Pauses of about one tick that begin on ticks, with one or two ticks between them. */
  #listTurns({ startNs, endNs }: PacedInterval, { nextNs, lengthNs }: Ticks): void {
    const pauses = Math.floor((this.#offNs + ALIGNED_NS) / lengthNs);
    if (pauses < 2) return;
    const active = endNs - startNs - this.#offNs;
    for (const run of [1, 2]) {
      const between = (pauses - 1) * run * lengthNs;
      for (let start = nextNs - startNs; start + between <= active; start += lengthNs) {
        this.#add(start, pauses, (run + 1) * lengthNs);
      }
    }
  }

  #listAnywhere({ startNs, endNs }: PacedInterval, { nextNs, lengthNs }: Ticks): void {
    const active = endNs - startNs - this.#offNs;
    const borders = this.#borders;
    borders.length = 0;
    borders.push(0, active);
    for (let tick = nextNs; tick < endNs && borders.length < MAX_PLACES; tick += lengthNs) {
      const since = tick - startNs;
      if (since < active) borders.push(since);
      if (since > this.#offNs) borders.push(since - this.#offNs);
    }
    borders.sort((a, b) => a - b);
    for (let k = 1; k < borders.length; k++) this.#add((borders[k] + borders[k - 1]) / 2, 1, 1);
  }

  #add(startNs: number, pauses: number, cycleNs: number): void {
    if (this.length === MAX_PLACES) return;
    this.#startNs[this.length] = startNs;
    this.#pauses[this.length] = pauses;
    this.#cycleNs[this.length] = cycleNs;
    this.length++;
  }
}
