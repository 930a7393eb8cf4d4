import type { PeriodSamples } from './types.ts';

/**
 * The rows at which a thread came back to a stream after it was sampled in others, that is on other CPUs:
 *
 *     CPU 0   ●●●●│     │●●│   │●●●        rows of one stream, in time order
 *     CPU 1       │●●●●●│  │●●●│
 *     bounds  0    4     6      9
 *
 * Samples `bounds[i]` … `bounds[i + 1] − 1` are one stretch; the last bound is the number of rows.
 */
export function stretchesOf(
  rows: Int32Array,
  event: number,
  samples: Pick<PeriodSamples, 'event' | 'thread'>,
): number[] {
  const bounds = [0];
  const isAway = new Set<number>();
  for (let k = 1; k < rows.length; k++) {
    for (let row = rows[k - 1] + 1; row < rows[k]; row++) {
      if (samples.event[row] === event) isAway.add(samples.thread[row]);
    }
    if (isAway.delete(samples.thread[rows[k]])) bounds.push(k);
  }
  bounds.push(rows.length);
  return bounds;
}
