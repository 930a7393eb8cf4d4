// Laws that hold for whatever perf-ts prints, on every page: recordings have samples, shares lie in their intervals and are
// parts of a whole, sums are right, rates are counts by time, and a program that counts its page faults is believed.

import { errorOfSum, numbersIn, samplesOf } from './printed-line.ts';
import { type Table, tablesOf } from './printed-table.ts';

/** In percent: how far a share that is printed without decimals is off. */
export const ROUNDED_SHARE = 0.51;
/** Rates are printed with one decimal. */
const ROUNDED_RATE = 0.06;
/** The page faults that the start of a program of C makes. */
const FAULTS_OF_START = 2000;

/** Sentences on what an output has that none may have, whatever its page says. */
export function lawsBrokenBy(printed: readonly string[]): string[] {
  const tables = tablesOf(printed);
  return [
    ...printed.flatMap(brokenLine),
    ...tables.flatMap((table) =>
      table.rows.length > 0 ? brokenRows(table) : ['a table without rows'],
    ),
    ...brokenCount(printed),
    ...brokenLoss(printed),
  ];
}

function brokenLine(line: string): string[] {
  if (samplesOf(line) === 0 || /: 0 of [\d ]+ samples/.test(line)) return [`no samples: ${line}`];
  const error = errorOfSum(line);
  if (error !== null && error !== 0) return [`a sum that is wrong by ${error}: ${line}`];
  return isPair(line) && !isRatePair(line) ? [`a rate that is wrong: ${line}`] : [];
}

/** `0 → 1   28 273         1        1       1      35 369.4   35 369.4`: a pair of samples, of `periods --pairs`. */
const isPair = (line: string): boolean => /^\s*\d+ → \d+ {2}/.test(line);

/** Whether λ = events/Δt and f = λ/P, with the period before the pair. */
function isRatePair(line: string): boolean {
  const [ns, before, , events, lambda, frequency] = line
    .trim()
    .split(/ {2,}/)
    .slice(1)
    .flatMap(numbersIn);
  const isNear = (one: number, other: number) => Math.abs(one - other) <= ROUNDED_RATE;
  return isNear((events / ns) * 1e9, lambda) && isNear(lambda / before, frequency);
}

function brokenRows({ headings, rows }: Table): string[] {
  const sum = rows.reduce((all, { shares }) => all + (shares.get('self') ?? 0), 0);
  const broken = rows.flatMap(({ shares, interval, names }) => {
    const self = shares.get('self') ?? 0;
    const total = shares.get('total') ?? 100;
    const isHeld =
      interval === null ||
      (interval[0] - ROUNDED_SHARE <= self && self <= interval[1] + ROUNDED_SHARE);
    const isRight = self <= total + 2 * ROUNDED_SHARE && total <= 100 + ROUNDED_SHARE;
    return isRight && isHeld ? [] : [`shares that can't be: ${names.join(' ')}`];
  });
  return sum <= 100 + rows.length * ROUNDED_SHARE
    ? broken
    : [...broken, `${headings[0]} sums up to ${sum}%`];
}

/** hot-paths prints how many pages it has touched: a count of its page faults is that, and those of its start. */
function brokenCount(printed: readonly string[]): string[] {
  const touched = printed.flatMap((line) => {
    const [, pages] = /^hot-paths: .* after (\d+) page faults$/.exec(line) ?? [];
    return pages === undefined ? [] : [Number(pages)];
  });
  const counted = printed.find((line) => /^ +\d[\d ]* {2,}page-faults\b/.test(line));
  if (touched.length === 0 || counted === undefined) return [];
  const [faults] = numbersIn(counted);
  const mean = touched.reduce((sum, pages) => sum + pages) / touched.length;
  const isRight = mean <= faults + 1 && faults <= mean + FAULTS_OF_START;
  return isRight ? [] : [`${faults} page faults of programs that made ${mean} each: ${counted}`];
}

/** The notice of lost samples counts those that the last line of `record` counts, and has their share of all. */
function brokenLoss(printed: readonly string[]): string[] {
  const notice = printed.find((line) => /^perf-ts: [\d.]+% of the samples \(/.test(line));
  const total = printed.find((line) => /^perf-ts: [\d ]+ samples of \S/.test(line));
  if (notice === undefined || total === undefined) return [];
  const [share, lost] = numbersIn(notice);
  const [lostThere] = numbersIn(/, lost (.*)/.exec(total)?.[1] ?? '');
  const taken = samplesOf(total) ?? 0;
  const isRight = lost === lostThere && Math.abs((100 * lost) / (taken + lost) - share) <= 0.06;
  return isRight ? [] : [`losses that disagree: ${notice}`];
}
