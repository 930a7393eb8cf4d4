import type { Range } from '../state/state.ts';

/** `2.335–2.574 s`, with as many digits as tell its ends apart. */
export function formatSpan({ fromNs, toNs }: Range): string {
  const digits = Math.max(3, Math.min(9, Math.ceil(-Math.log10((toNs - fromNs) / 1e9)) + 2));
  return `${(fromNs / 1e9).toFixed(digits)}–${(toNs / 1e9).toFixed(digits)} s`;
}
