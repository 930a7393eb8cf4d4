/** The two figures of an event's losses, as recordings have them. */
type LossFigures = {
  readonly event: number;
  readonly lostRecords: number;
  readonly lostSamples: number;
};

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
  const sharesRings = losses.length > 1;
  if (sharesRings && losses.some(({ lostSamples }) => lostSamples > 0)) return byCounter;
  return Math.max(byRecords, byCounter);
}
