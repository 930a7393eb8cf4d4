// Whether a command prints what its page shows and claims. Figures on a page are examples, of one day and one machine. What
// they mean is compared:
//
// - A line has the words that the page has, and samples of a clock as many a second of CPU time.
// - A table has the page's headings, its first row is the same function, and each row has its share within a band.
// - A tree has each function below the one that the page shows above it.
// - Whatever is printed obeys the laws of `lawsBrokenBy`, on the page or not.
//
// A share of the page and today's may differ for two reasons. Machines differ: a processor, a kernel or a Node may be
// twice as fast at one thing as at all others, so the odds of a share may be half or double of the page's, unless the
// page claims a narrower band of a program that is made for it. And both are samples: bands are widened by 5 standard
// deviations of so many samples as today's output has, which no run in a million leaves by chance.

import type { Claim, Typed } from './command-blocks.ts';
import { lawsBrokenBy, ROUNDED_SHARE } from './output-laws.ts';
import { hasPattern, hasShape, samplesOf, samplesPerSecond } from './printed-line.ts';
import { type Row, type Table, tablesOf } from './printed-table.ts';

const MACHINE_FACTOR = 2;
const DEVIATIONS = 5;
/** Times and shares are printed with three digits. */
const ROUNDING = 0.02;
/** A share above it, in percent, makes the order of a table that of the page. */
const LEADING = 25;
/** In percent: pages leave out what is smaller in trees. */
const SMALLEST_OF_TREE = 6;

/** A command of a page with what it printed. */
export type Printed = {
  readonly typed: Typed;
  readonly claims: readonly Claim[];
  readonly output: string;
  /** Whether its block ends commands once they have printed what it waits for. */
  readonly isInterrupted: boolean;
};

/** Sentences on how an output differs from its page; none: it doesn't. */
export function differencesOf({ typed, claims, output }: Printed): string[] {
  const printed = linesOf(output);
  const shown = typed.shown.filter((line) => line.trim() !== '');
  const tables = tablesOf(printed);
  const shownTables = tablesOf(shown);
  const samples = sampleSizeOf(printed);
  const isInTable = (_line: string, index: number) =>
    shownTables.some(({ from, to }) => from <= index && index <= to);
  return [
    ...shown.flatMap((line, index) => (isInTable(line, index) ? [] : missingLine(line, printed))),
    ...shownTables.flatMap((table) => tableDifferences(table, tables, claims, samples)),
    ...claims.flatMap((claim) => claimFaults(claim, printed, tables, samples)),
    ...lawsBrokenBy(printed),
  ];
}

export const hasFigures = ({ output }: Printed): boolean => /\d/.test(output);

/** How many samples the shares of an output come from. Waits are timed one by one, so that theirs are no estimates. */
function sampleSizeOf(printed: readonly string[]): number {
  if (printed.some((line) => / off the CPU, /.test(line))) return Number.POSITIVE_INFINITY;
  return printed.map(samplesOf).find((count) => count !== null) ?? 1000;
}

/** Whether all figures of an output are compared with something. */
export const isCompared = ({ typed, claims, output, isInterrupted }: Printed): boolean =>
  claims.length > 0 ||
  isInterrupted ||
  typed.shown.some((line) => line.trim() !== '' && line.trim() !== '…') ||
  !linesOf(output).some((line) => /\d/.test(line) && !isUnderLaw(line));

const linesOf = (output: string): string[] =>
  output.split('\n').filter((line) => line.trim() !== '');

/** A notice of how a run went, the last line of `record`, about whose samples a law is, and what the pages' own programs print. */
const isUnderLaw = (line: string): boolean =>
  /^perf-ts: (?:(?!wrote )[^\d]|[\d ]+ samples of \S.*, (?:none lost|lost)|[\d.]+% of the samples \()/.test(
    line,
  ) || /^(?:hot-(?:paths|and-cold): |app: \d)/.test(line);

function missingLine(line: string, printed: readonly string[]): string[] {
  if (line.trim() === '…' || !isOfThisMachine(line, printed)) return [];
  // That two rows may change places is chance; that they are marked is not.
  if (line.startsWith('# ~')) return [];
  const found = printed.filter((each) => hasShape(each, line));
  if (found.length === 0) return [`no line such as: ${line}`];
  const expected = samplesPerSecond(line);
  const rate = samplesPerSecond(found[0]);
  if (expected === null || rate === null) return [];
  return Math.abs(rate / expected - 1) < ROUNDING
    ? []
    : [`${rate.toFixed()} samples per second of CPU time, not ${expected.toFixed()}: ${found[0]}`];
}

/** The pages show a machine without hardware counters, where a clock samples, for a user without the kernel's code. */
function isOfThisMachine(line: string, printed: readonly string[]): boolean {
  const clock = /\bcpu-clock(?::u\b)?/.exec(line)?.[0];
  const sampled = printed.flatMap((each) => /\b(?:cpu-clock|cycles)(?::u\b)?/.exec(each) ?? []);
  return clock === undefined || sampled.length === 0 || sampled.includes(clock);
}

function tableDifferences(
  shown: Table,
  tables: readonly Table[],
  claims: readonly Claim[],
  samples: number,
): string[] {
  const title = shown.headings.join(' | ');
  const table = tables.find(({ headings }) => headings.join(' | ') === title);
  if (table === undefined) return [`no table with the columns ${title}`];
  const [first] = shown.rows;
  const leads = shown.hasFirstRow && sortedShare(first, shown) >= LEADING;
  const isFirst = !leads || isSameRow(table.rows[0], first);
  return [
    ...(isFirst
      ? []
      : [`the first row is ${table.rows[0]?.names.join(' ')}, not ${first.names.join(' ')}`]),
    ...shown.rows.flatMap((row) => rowDifferences(row, shown, table, claims, samples)),
  ];
}

const sortedShare = (row: Row, { headings }: Table): number => row.shares.get(headings[0]) ?? 0;

function rowDifferences(
  row: Row,
  shown: Table,
  table: Table,
  claims: readonly Claim[],
  samples: number,
): string[] {
  const today = table.rows.find((each) => isSameRow(each, row));
  const name = row.names.join(' ');
  return [...row.shares].flatMap(([heading, share]) => {
    const [low, high] = bandOf(share, heading, row, claims, samples);
    if (today === undefined)
      return heading === shown.headings[0] ? missingRow(name, low, table) : [];
    const value = today.shares.get(heading) ?? Number.NaN;
    return low <= value && value <= high
      ? []
      : [`${heading} of ${name} is ${value}%, not ${low.toFixed(1)}–${high.toFixed(1)}%`];
  });
}

/** Rows below a share may be left out: of a tree those below its limit, of a table what would follow its last row. */
function missingRow(name: string, low: number, table: Table): string[] {
  const shares = table.rows.map((row) => sortedShare(row, table));
  const isTree = table.headings.at(-1) === 'self';
  return low > (isTree ? SMALLEST_OF_TREE : Math.min(...shares))
    ? [`no row of ${name}, which has ${low.toFixed(1)}% and more`]
    : [];
}

const isSameRow = (printed: Row | undefined, shown: Row): boolean =>
  printed !== undefined &&
  printed.names.length === shown.names.length &&
  shown.names.every(
    (name, index) => hasShape(printed.names[index], name) && hasPlace(printed.names[index], name),
  ) &&
  (shown.parent === null || printed.parent === null || hasShape(printed.parent, shown.parent));

/** The line in a place such as `app.js:7` is a claim, unless the page has … there. */
const hasPlace = (printed: string, shown: string): boolean =>
  shown.includes('…') || printed.replace(/^.*\//, '') === shown.replace(/^.*\//, '');

/** The bounds of today's share, in percent. */
function bandOf(
  share: number,
  heading: string,
  { names }: Row,
  claims: readonly Claim[],
  samples: number,
): [number, number] {
  const claimed = claims.find(
    (claim) => claim.kind === 'share' && claim.column === heading && claim.name === names.at(-1),
  );
  if (claimed?.kind === 'share') return [claimed.low, claimed.high];
  const odds = share / (100 - share);
  const atOdds = (value: number) => (share >= 100 ? 1 : value / (1 + value));
  return [
    100 * wilsonEnd(atOdds(odds / MACHINE_FACTOR), samples, -1) - ROUNDED_SHARE,
    100 * wilsonEnd(atOdds(odds * MACHINE_FACTOR), samples, 1) + ROUNDED_SHARE,
  ];
}

/** An end of Wilson's interval of a share among `n` samples. */
function wilsonEnd(share: number, n: number, side: -1 | 1): number {
  const z2 = DEVIATIONS ** 2;
  const half = DEVIATIONS * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n));
  return (share + z2 / (2 * n) + side * half) / (1 + z2 / n);
}

function claimFaults(
  claim: Claim,
  printed: readonly string[],
  tables: readonly Table[],
  samples: number,
): string[] {
  const rows = tables.flatMap((table) => table.rows);
  if (claim.kind === 'line')
    return printed.some((line) => hasPattern(line, claim.pattern))
      ? []
      : [`no line such as: ${claim.pattern}`];
  if (claim.kind === 'share')
    return rows.some(({ names }) => names.at(-1) === claim.name) ? [] : [`no row of ${claim.name}`];
  const totals = claim.names.map(
    (name) =>
      rows.find(({ names }) => names.at(-1)?.split(' ')[0] === name)?.shares.get('total') ??
      Number.NaN,
  );
  const both = totals[0] + totals[1];
  const [one, other] = claim.parts;
  const [low, high] = ([-1, 1] as const).map((side) => {
    const odds = (one / other) * (1 + claim.within / 100) ** side;
    return wilsonEnd(odds / (1 + odds), (samples * both) / 100, side);
  });
  const part = totals[0] / both;
  return low <= part && part <= high
    ? []
    : [
        `${claim.names[0]} has ${(100 * part).toFixed(1)}% of both, not ${(100 * low).toFixed(1)}–${(100 * high).toFixed(1)}%`,
      ];
}
