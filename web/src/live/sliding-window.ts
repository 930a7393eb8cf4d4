import type { Range, ViewState } from '../state/state.ts';

const WINDOW_NS: Readonly<Record<ViewState['window'], number>> = {
  all: Number.POSITIVE_INFINITY,
  '10s': 10e9,
  '60s': 60e9,
};

/**
 * The last seconds of a recording that ends at `endNs`; null while it is not longer than that. `all`
 * leaves the range to who takes one.
 */
export function slide({ window, range }: ViewState, endNs: number): Range | null {
  if (window === 'all') return range;
  const toNs = Math.round(endNs) + 1;
  const fromNs = toNs - WINDOW_NS[window];
  return fromNs <= 0 ? null : { fromNs, toNs };
}
