import type { PeriodInput } from '../types.ts';

/** The worst one of this many equal parts of the recording's time is looked for. */
const SLICES = 100;

/**
 * Places of the losses of an event: losses in one place are a stretch to distrust, losses everywhere
 * thin the profile out. In samples, as LOST records tell them: of each ring when something fitted
 * again. Where several events share the rings the records are of all of them.
 */
export type LossConcentration = {
  /** Share of the lost samples in the worst 1 % of the time, 0…1, and where that is. */
  readonly worstShare: number;
  readonly worstStartNs: number;
  readonly worstEndNs: number;
  /** Most first; CPU −1 where it was not recorded. */
  readonly byCpu: readonly { readonly cpu: number; readonly lostSamples: number }[];
  /**
   * Row of `PeriodInput.threads` and events in the gaps between its samples, most first; empty where
   * gaps are not known.
   */
  readonly byThread: readonly { readonly thread: number; readonly gapEvents: number }[];
};

/** Null if no LOST record may be of this event. */
export function computeConcentration(
  input: PeriodInput,
  event: number,
  streams: readonly { readonly thread: number; readonly gapEvents: number }[],
): LossConcentration | null {
  const gaps = (input.lossGaps ?? []).filter((gap) => gap.event === event || gap.event < 0);
  if (gaps.length === 0) return null;
  const { length, timeNs } = input.samples;
  const first = length > 0 ? timeNs[0] : 0;
  const last = length > 0 ? timeNs[length - 1] : 0;
  const sliceNs = Math.max(1, (last - first) / SLICES);
  const slices = new Float64Array(SLICES);
  const cpus = new Map<number, number>();
  let lostSamples = 0;
  for (const { cpu, timeNs: at, samples } of gaps) {
    const slice = Math.floor((at - first) / sliceNs);
    slices[Math.max(0, Math.min(SLICES - 1, slice || 0))] += samples;
    cpus.set(cpu, (cpus.get(cpu) ?? 0) + samples);
    lostSamples += samples;
  }
  const worst = slices.indexOf(Math.max(...slices));
  const threads = new Map<number, number>();
  for (const { thread, gapEvents } of streams) {
    if (gapEvents > 0) threads.set(thread, (threads.get(thread) ?? 0) + gapEvents);
  }
  return {
    worstShare: lostSamples > 0 ? slices[worst] / lostSamples : 0,
    worstStartNs: first + worst * sliceNs,
    worstEndNs: first + (worst + 1) * sliceNs,
    byCpu: mostFirst(cpus).map(([cpu, samples]) => ({ cpu, lostSamples: samples })),
    byThread: mostFirst(threads).map(([thread, gapEvents]) => ({ thread, gapEvents })),
  };
}

function mostFirst(sums: ReadonlyMap<number, number>): [number, number][] {
  return [...sums].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}
