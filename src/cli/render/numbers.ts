import { formatShare } from '../../base/numbers.ts';
import type { ShareInterval } from '../../profile/analysis/share-steps.ts';

export { formatBytes, formatCount, formatNanos, formatShare } from '../../base/numbers.ts';

/** `12.10–14.52%`: where the true share lies, in 95 of 100 recordings. */
export function formatShareInterval(interval: ShareInterval | undefined): string {
  if (interval === undefined) return '';
  return `${(interval.low * 100).toFixed(2)}–${formatShare(interval.high)}`;
}
