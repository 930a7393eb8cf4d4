import type { Unit } from './worker/messages.ts';

/** `12.3 %`; small shares keep two digits that count, so that nothing is shown as zero. */
export function formatShare(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0 %';
  if (percent < 0.01) return '< 0.01 %';
  return `${percent.toFixed(percent < 1 ? 2 : 1)} %`;
}

/** `12.3 % to 14.5 %`: where a share lies in 95 of 100 recordings. */
export function formatInterval(low: number, high: number): string {
  return `${formatShare(low)} to ${formatShare(high)}`;
}

/** `1,234,567`, the same in every locale. */
export function formatCount(value: number): string {
  const [whole = '0', fraction] = String(Math.round(value * 1000) / 1000).split('.');
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `1.234 s`, `56.7 ms`, `890 ns`. */
export function formatDuration(ns: number): string {
  if (ns >= 1e9) return `${(ns / 1e9).toFixed(ns >= 1e11 ? 0 : 3)} s`;
  if (ns >= 1e6) return `${(ns / 1e6).toFixed(1)} ms`;
  if (ns >= 1e3) return `${(ns / 1e3).toFixed(1)} µs`;
  return `${ns} ns`;
}

/** A weight with its unit. */
export function formatWeight(value: number, unit: Unit): string {
  if (unit === 'nanoseconds') return formatDuration(value);
  const noun = value === 1 ? unit.slice(0, -1) : unit;
  return `${formatCount(value)} ${noun}`;
}
