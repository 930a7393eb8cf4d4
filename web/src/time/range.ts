import { formatNanos } from '../ask/format.ts';
import type { Range } from '../state/state.ts';

/** `1.200 s to 1.450 s (250.0 ms)`. */
export function formatRange({ fromNs, toNs }: Range): string {
  const seconds = (ns: number) => `${(ns / 1e9).toFixed(3)} s`;
  return `${seconds(fromNs)} to ${seconds(toNs)} (${formatNanos(toNs - fromNs)})`;
}

/** A range inside of the recording, the earlier end first; null if it holds next to nothing. */
export function clampRange(a: number, b: number, endNs: number): Range | null {
  const fromNs = Math.round(Math.max(0, Math.min(a, b)));
  const toNs = Math.round(Math.min(endNs + 1, Math.max(a, b)));
  return toNs - fromNs < 1 ? null : { fromNs, toNs };
}
