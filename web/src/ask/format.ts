import { formatCount, formatNanos } from '../../../src/base/numbers.ts';
import type { Unit } from '../worker/messages/messages.ts';

// The page prints numbers as the terminal does.
export * from '../../../src/base/numbers.ts';

/** `1 234 567 events`, `37.5 ms`: a weight with its unit. */
export function formatWeight(value: number, unit: Unit): string {
  if (unit === 'nanoseconds') return formatNanos(value);
  const noun = Math.round(value) === 1 ? unit.slice(0, -1) : unit;
  return `${formatCount(value)} ${noun}`;
}
