import { formatNanos } from '../format.ts';
import type { KeyBinding } from '../keys.ts';
import type { Range } from '../state.ts';
import type { Store } from '../store.ts';

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

/** Part of the range's width by which a key moves it. */
const STEP = 0.1;

/** Keys that move and resize the range; without one they start from the whole recording. */
export function rangeKeys(store: Store, endNs: number): readonly KeyBinding[] {
  const change = (shift: number, factor: number) => {
    const { fromNs, toNs } = store.get().range ?? { fromNs: 0, toNs: endNs + 1 };
    const width = Math.max(1, toNs - fromNs);
    const wanted = width * factor;
    const middle = (fromNs + toNs) / 2 + shift * width;
    const from = Math.max(0, Math.min(middle - wanted / 2, endNs + 1 - wanted));
    const range = clampRange(from, from + wanted, endNs);
    const isWhole = range !== null && range.fromNs === 0 && range.toNs > endNs;
    store.change({ range: isWhole ? null : range }, 'adjust');
  };
  return [
    { key: ',', does: 'move the range of time back', run: () => change(-STEP, 1) },
    { key: '.', does: 'move the range of time on', run: () => change(STEP, 1) },
    { key: '+', does: 'half the range of time', run: () => change(0, 0.5) },
    { key: '-', does: 'twice the range of time', run: () => change(0, 2) },
    { key: '0', does: 'all of the time', run: () => store.change({ range: null }) },
  ];
}
