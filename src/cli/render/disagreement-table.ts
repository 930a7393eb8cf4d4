import { formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { MATTERS } from '../../period/report/advice.ts';
import type { EventReport } from '../../period/report/event-report.ts';

const KINDS = ['samples', 'period', 'events', 'time'] as const;
const NAME_COLUMNS = 40;

/** The functions on which the weights differ most, a line each below a header; else nothing. */
export function disagreementTable({ weights }: EventReport): string[] {
  if (weights === null || weights.functions.length === 0) return [];
  const { samples, period } = weights.distance;
  if (Math.max(samples ?? 0, period ?? 0) < MATTERS) return [];
  const kinds = KINDS.filter((kind) => weights.functions.some((shares) => shares[kind] !== null));
  const lines = [
    `${'self share of the profile by'.padEnd(NAME_COLUMNS)}${kinds.map((kind) => kind.padStart(10)).join('')}`,
  ];
  for (const shares of weights.functions) {
    const name = shorten(printable(shares.function));
    const cells = kinds.map((kind) => {
      const share = shares[kind];
      return (share === null ? '–' : formatShare(share)).padStart(10);
    });
    lines.push(`${name.padEnd(NAME_COLUMNS)}${cells.join('')}`);
  }
  return lines;
}

function shorten(name: string): string {
  return name.length < NAME_COLUMNS ? name : `${name.slice(0, NAME_COLUMNS - 2)}…`;
}
