import { formatCount, formatNanos, formatShort } from '../../src/base/numbers.ts';
import type { Unit } from './worker/messages.ts';

// The page prints numbers as the terminal does.
export * from '../../src/base/numbers.ts';

/** `1 234 567 events`, `37.5 ms`: a weight with its unit. */
export function formatWeight(value: number, unit: Unit): string {
  if (unit === 'nanoseconds') return formatNanos(value);
  const noun = Math.round(value) === 1 ? unit.slice(0, -1) : unit;
  return `${formatCount(value)} ${noun}`;
}

/** `1.23M`, `37.5 ms`: a weight where there is no room for nine digits. */
export function formatShortWeight(value: number, unit: Unit): string {
  if (value === 0) return '0';
  return unit === 'nanoseconds' ? formatNanos(value) : formatShort(value, 3);
}
