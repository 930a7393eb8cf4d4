import type { PeriodInput } from './types.ts';

/** What arrived and what did not, of one event. */
export type EventLedger = {
  readonly samples: number;
  /**
   * Samples lost, by the better of two figures that count the same losses: LOST records miss what
   * was lost after the last record that fitted, LOST_SAMPLES is read from the counter at the end.
   */
  readonly lostSamples: number;
  /**
   * Share of the samples taken that arrived, 0…1; null if none was taken. In samples and not in
   * events: what a lost sample stood for is not in the file.
   */
  readonly coverage: number | null;
  /** What the counter counted in all, over all instances; null if it was not read. */
  readonly eventsCounted: number | null;
};

/** The ledger of each event of the input. */
export function computeLedgers(input: PeriodInput): EventLedger[] {
  const arrived = new Float64Array(input.events.length);
  const { event, length } = input.samples;
  for (let i = 0; i < length; i++) arrived[event[i] as number]!++;
  return input.events.map((_, index) => {
    const samples = arrived[index] as number;
    let lostRecords = 0;
    let lostByCounter = 0;
    for (const loss of input.losses ?? []) {
      if (loss.event !== index) continue;
      lostRecords += loss.lostRecords;
      lostByCounter += loss.lostSamples;
    }
    const lostSamples = Math.max(lostRecords, lostByCounter);
    const taken = samples + lostSamples;
    return {
      samples,
      lostSamples,
      coverage: taken > 0 ? samples / taken : null,
      eventsCounted: input.eventTotals?.[index] ?? null,
    };
  });
}
