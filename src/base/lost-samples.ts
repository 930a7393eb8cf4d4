import { formatCount, formatTenth } from './numbers.ts';

/** The sample rings of a recording: KiB of each, and the most that the user who recorded may have; null: no bound. */
export type RingFacts = { readonly kib: number; readonly mostKib: number | null };

/** The two figures of an event's losses, as recordings have them. */
type LossFigures = {
  readonly event: number;
  readonly lostRecords: number;
  readonly lostSamples: number;
};

/** The losses of all events of a recording together; null: no counter was read. */
type LossTotals = { readonly lostRecords: number; readonly lostSamples: number | null };

/**
 * Samples of an event that were lost, by the better of two figures that count the same losses: LOST
 * records miss what was lost after the last record that fitted, LOST_SAMPLES is read from the counter
 * at the end. A LOST record tells of a ring, and names the event that wrote next: events that share
 * their rings go by the counters alone where those were read.
 */
export function lostSamplesOf(losses: readonly LossFigures[], event: number): number {
  let byRecords = 0;
  let byCounter = 0;
  for (const loss of losses) {
    if (loss.event !== event) continue;
    byRecords += loss.lostRecords;
    byCounter += loss.lostSamples;
  }
  const wereRead = losses.some(({ lostSamples }) => lostSamples > 0);
  return betterFigure(byRecords, byCounter, losses.length > 1 && wereRead);
}

/** Samples of all events that were lost: the sum of `lostSamplesOf` over `events` of them. */
export function lostSamplesOfAll({ lostRecords, lostSamples }: LossTotals, events: number): number {
  const byCounters = lostSamples ?? 0;
  return betterFigure(lostRecords, byCounters, events > 1 && byCounters > 0);
}

function betterFigure(byRecords: number, byCounters: number, countersAlone: boolean): number {
  return countersAlone ? byCounters : Math.max(byRecords, byCounters);
}

/** `20.0% of the samples (100) were lost`, of all that were `taken`, the lost ones included. */
export function lostSamplesText(lost: number, taken: number): string {
  return `${formatTenth(lost / taken)} of the samples (${formatCount(lost)}) were lost`;
}
