import type { DiffMeasure } from '../../../src/profile/analysis/diff-measure.ts';
import { formatPoints, formatShare, formatShortWeight, formatWeightChange } from '../ask/format.ts';
import type { Unit } from '../worker/messages/messages.ts';

/** `1.39 s`, `520.0 ms/s`, `25.09%`: a quantity as it is compared. */
export function formatCompared(value: number, by: DiffMeasure, unit: Unit): string {
  if (by === 'share') return formatShare(value);
  return `${formatShortWeight(value, unit)}${by === 'second' ? '/s' : ''}`;
}

/** `+1.09 s`, `+520.0 ms/s`, `+1.23 points`: how much more of it. */
export function formatDelta(delta: number, by: DiffMeasure, unit: Unit): string {
  if (by === 'share') return `${formatPoints(delta)} points`;
  return `${formatWeightChange(delta, unit)}${by === 'second' ? '/s' : ''}`;
}

/** `+512.5 … +527.4 ms`: ends in the same unit have it once. */
export function formatInterval(
  { low, high }: { readonly low: number; readonly high: number },
  by: DiffMeasure,
  unit: Unit,
): string {
  const [from, to] = [low, high].map((end) => formatDelta(end, by, unit));
  const unitOf = (text: string) => /[^\d]*$/.exec(text)?.[0] ?? '';
  return unitOf(from) === unitOf(to)
    ? `${from.slice(0, from.length - unitOf(from).length)} … ${to}`
    : `${from} … ${to}`;
}
