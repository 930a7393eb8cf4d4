import { UsageError } from '../base/errors.ts';
import { type NamedOption, type Words, words } from '../base/words.ts';

/** A span of time, nanoseconds since the recording's start: the first moment in, the first out. */
export type TimeRange = { readonly fromNs: number; readonly toNs: number };

/** Nanoseconds in all. */
export function lengthOfRanges(ranges: readonly TimeRange[]): number {
  return ranges.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
}

/** The recording's times that a range in text refers to. */
export type RecordedTime = {
  /** Raw time of nanosecond 0. */
  readonly startTime: bigint;
  /** Times of the first and the last sample, nanoseconds since the start; NaN without samples. */
  readonly firstNs: number;
  readonly lastNs: number;
};

const NANOSECONDS = 1_000_000_000n;

/**
 * The spans of time that `--time` names, in perf's forms. Throws `UsageError` for any other.
 *
 *   4585.388877237,4585.5        both inside; either may be left out
 *   1.0,2.0 5.0,6.0              several
 *   10%-20%   0%-10%,30%-40%     of the time from the first sample to the last
 *   10%/2     10%/2,10%/4        the second piece, of pieces of 10 %; 10% alone is the first
 *
 * A piece that is not the last one ends before the moment at which the next one begins.
 *
 * @example
 * ```ts
 * import { openProfile, parseTimeRanges } from 'perf-ts';
 *
 * const opened = await openProfile('perf.data');
 * const times = parseTimeRanges('10%-50%', opened.recordedTime());
 * console.log(opened.report({ select: { times } }).samples);
 * ```
 */
export function parseTimeRanges(text: string, recorded: RecordedTime): TimeRange[] {
  if (typeof text !== 'string') throw new UsageError(`text ${text}: expected ranges of time`);
  if (typeof recorded?.startTime !== 'bigint') {
    throw new UsageError('recorded: expected the times of a recording, of recordedTime()');
  }
  const words = text.trim().split(/\s+/);
  if (text.includes('%')) {
    if (words.length > 1) throw new UsageError(refusal(text, 'separate percentages by commas'));
    return percentRanges(text, recorded);
  }
  const ranges = words.map((word) => rangeOf(text, word, recorded.startTime));
  const sorted = ranges.toSorted((a, b) => a.fromNs - b.fromNs);
  for (let i = 1; i < sorted.length; i++) {
    if (sorted[i].fromNs < sorted[i - 1].toNs) {
      throw new UsageError(refusal(text, 'the ranges overlap'));
    }
  }
  return sorted;
}

/** Whether one of `ranges` has the moment, or a part of what lasts from then on; without a time it is in none. */
export function isInRanges(ranges: readonly TimeRange[], timeNs: number, lengthNs = 0): boolean {
  for (let i = 0; i < ranges.length; i++) {
    const { fromNs, toNs } = ranges[i];
    if (timeNs < toNs && (timeNs >= fromNs || timeNs + lengthNs > fromNs)) return true;
  }
  return false;
}

function rangeOf(text: string, word: string, startTime: bigint): TimeRange {
  const [from = '', to = '', ...rest] = word.split(',');
  if (rest.length > 0 || (from === '' && to === '')) {
    throw new UsageError(refusal(text, `${word || 'nothing'} is not START,STOP in seconds`));
  }
  const since = (seconds: string) => Number(nanosecondsOf(text, seconds) - startTime);
  const fromNs = from === '' ? Number.NEGATIVE_INFINITY : since(from);
  const toNs = to === '' ? Number.POSITIVE_INFINITY : since(to) + 1;
  if (fromNs >= toNs) throw new UsageError(refusal(text, 'it ends before it starts'));
  return { fromNs, toNs };
}

function nanosecondsOf(text: string, seconds: string): bigint {
  const match = /^(\d+)(?:\.(\d*))?$/.exec(seconds);
  if (match === null) throw new UsageError(refusal(text, `${seconds} is not a time in seconds`));
  const fraction = (match[2] ?? '').slice(0, 9).padEnd(9, '0');
  return BigInt(match[1]) * NANOSECONDS + BigInt(fraction);
}

function percentRanges(text: string, { firstNs, lastNs }: RecordedTime): TimeRange[] {
  if (Number.isNaN(firstNs)) {
    throw new UsageError(refusal(text, 'the recording has no samples with times'));
  }
  const total = lastNs - firstNs;
  const at = (share: number) => firstNs + Math.round(share * total);
  const shares = text.split(',').map((part) => sharesOf(text, part.trim()));
  return shares.map(([from, to]) => ({
    fromNs: at(from),
    // The last sample belongs to the last piece.
    toNs: to >= 1 ? lastNs + 1 : at(to),
  }));
}

const PERCENT = String.raw`(\d+(?:\.\d+)?)%`;

/** First and last share 0…1 of one `10%-20%`, `10%/2` or `10%`. */
function sharesOf(text: string, part: string): [from: number, to: number] {
  const span = new RegExp(`^${PERCENT}-${PERCENT}$`).exec(part);
  const piece = new RegExp(`^${PERCENT}(?:/(\\d+))?$`).exec(part);
  let shares: [number, number] | null = null;
  if (span !== null) {
    shares = [Number(span[1]) / 100, Number(span[2]) / 100];
  } else if (piece !== null) {
    const size = Number(piece[1]) / 100;
    const number = Number(piece[2] ?? 1);
    // 33%/4 would begin at 99 %: what there is of it.
    shares = [(number - 1) * size, Math.min(number * size, 1)];
  }
  if (shares === null) throw new UsageError(refusal(text, `${part} is not like 10%-20% or 10%/2`));
  const [from, to] = shares;
  if (from < 0 || from >= to || to > 1) {
    throw new UsageError(refusal(text, `${part} is no part of 0% to 100%`));
  }
  return shares;
}

/** The option of the tables, which lie above this room. */
const OPTION: NamedOption = { inLibrary: 'time', inCommand: '--time' };

function refusal(text: string, reason: string): Words {
  return words`${OPTION} ${text}: ${reason}`;
}
