import { UsageError } from '../../base/errors.ts';

/** The whole number that an option was given; throws UsageError naming the option. */
export function wholeNumber(option: string, text: string): number {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new UsageError(`${option} ${text}: expected a whole number`);
}

/** A number above 0, decimals allowed. */
export function positiveNumber(option: string, text: string): number {
  const value = decimal(text);
  if (value > 0) return value;
  throw new UsageError(`${option} ${text}: expected a number above 0`);
}

/** A percentage as a share 0…1. */
export function percentage(option: string, text: string): number {
  const value = decimal(text);
  if (value <= 100) return value / 100;
  throw new UsageError(`${option} ${text}: expected a number from 0 to 100`);
}

function decimal(text: string): number {
  return /^(\d+(\.\d*)?|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** Bytes, as in `10M`; throws UsageError naming the option. */
export function byteSize(option: string, text: string): number {
  const match = /^(\d+)([bBkKmMgG]?)$/.exec(text.trim());
  const unit = { '': 1, B: 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 }[
    (match?.[2] ?? '').toUpperCase()
  ];
  if (!match || unit === undefined || Number(match[1]) === 0) {
    throw new UsageError(`${option} ${text}: expected a size such as 10M`);
  }
  return Number(match[1]) * unit;
}
