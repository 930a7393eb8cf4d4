// What Debian's perf says of a recording, in the form in which perf-ts says it.

import { spawnSync } from 'node:child_process';
import { isPlaceName } from '../../src/base/place-name.ts';
import { demangleAll } from '../../src/code/symbols/demangle.ts';
import { loadBinding } from '../../src/native/binding.ts';
import { perfTs } from './cli.ts';

const LARGEST_REPORT = 2 ** 28;

/** One line of a flat report: what has its own samples in one symbol of one DSO. */
export type SymbolLine = {
  readonly samples: number;
  readonly period: number;
  /** Share of the event's period as the tool says it, 0–1, and of how many of its lines the sum. */
  readonly share: number;
  readonly rows: number;
};

/** The flat report of one event: lines by `DSO symbol`, and their sums. */
export type FlatTable = {
  readonly event: string;
  readonly samples: number;
  readonly period: number;
  readonly lines: ReadonlyMap<string, SymbolLine>;
};

const EMPTY_LINE: SymbolLine = { samples: 0, period: 0, share: 0, rows: 0 };

/** Code of a DSO without a symbol of its own. */
const NAMELESS = '[unknown]';

/**
 * `perf report`'s flat tables, by self weight, one per event with samples. `pipe`: the recording as
 * a stream, `file` being `-`. Names are demangled as perf-ts does it: perf leaves parameters out.
 */
export function perfTables(file: string, pipe?: Buffer): FlatTable[] {
  const run = spawnSync('perf', perfReportArguments(file, pipe !== undefined), {
    encoding: 'utf8',
    maxBuffer: LARGEST_REPORT,
    ...(pipe && { input: pipe }),
  });
  if (run.status !== 0) throw new Error(`perf report fails on ${file}: ${run.stderr}`);
  return parsePerfTables(run.stdout);
}

/** Arguments that make `perf report` print what `parsePerfTables` reads. */
export function perfReportArguments(file: string, isPipe: boolean): string[] {
  const columns = ['-F', 'overhead,sample,period,dso,sym', '-t', '\t', '--percent-limit', '0'];
  const flat = ['--stdio', '--no-children', '-g', 'none', '--no-demangle', '--no-inline'];
  // perf 6.1 looks for the group's leader before it has read any event of a pipe, and crashes.
  const singly = isPipe ? [] : ['--no-group'];
  return ['report', '-i', file, ...columns, ...flat, ...singly];
}

export function parsePerfTables(report: string): FlatTable[] {
  const tables: { event: string; lines: Map<string, SymbolLine> }[] = [];
  for (const text of report.split('\n')) {
    // # Samples: 2K of event 'cpu-clock'
    const head = /^# Samples: .* of events? '(.*)'$/.exec(text);
    if (head) tables.push({ event: head[1], lines: new Map() });
    // "   34.12%\t 2683 \t 536600000 \tworkload \t[.] leaf "
    const row = /^\s*([\d.]+)%?\s*\t\s*(\d+)\s*\t\s*(\d+)\s*\t(.*?)\s*\t\[.\] (.*?)\s*$/.exec(text);
    if (!row) continue;
    const [, percent, samples, period, dso, symbol] = row as unknown as string[];
    const [shown] = demangleAll([symbol], loadBinding().demangle);
    const share = Number(percent) / 100;
    const line = { samples: Number(samples), period: Number(period), share, rows: 1 };
    addLine(tables.at(-1)!.lines, dso, shown, line);
  }
  return tables.map(withSums).filter((table) => table.samples > 0);
}

/** The same from `perf-ts report --json --weight period`. */
export function ourTables(file: string, pipe?: Buffer): FlatTable[] {
  const run = perfTs(ourReportArguments(file), { ...(pipe && { input: pipe }) });
  if (run.status !== 0) throw new Error(`perf-ts report fails on ${file}: ${run.stderr}`);
  return parseOurTables(run.stdout);
}

/** Arguments that make `perf-ts report` print what `parseOurTables` reads. */
export function ourReportArguments(file: string): string[] {
  return ['report', '--json', '--weight', 'period', '--js-raw', '--no-inline', file];
}

export function parseOurTables(text: string): FlatTable[] {
  const report = JSON.parse(text) as {
    events: {
      event: string;
      samples: number;
      total: number;
      rows: { name: string; dso: string; self: number; selfShare: number; samples: number }[];
    }[];
  };
  const tables = report.events.map(({ event, samples, total, rows }) => {
    const lines = new Map<string, SymbolLine>();
    for (const { name, dso, self, selfShare, samples } of rows) {
      const line = { samples, period: self, share: selfShare, rows: 1 };
      if (samples > 0) addLine(lines, dso, name, line);
    }
    return { event, samples, period: total, lines };
  });
  return tables.filter((table) => table.samples > 0);
}

/**
 * Adds a line under the name that both tools have for it. They differ, on purpose, in these:
 *
 * - Code without a symbol: perf has a line for each address, perf-ts one for each function of `.eh_frame`.
 * - PLT stubs: perf 6.1 names those of `.plt` only, and not in every file; the rest has no name or
 *   that of `_init` in front of it. perf-ts names them all, as newer perfs do.
 * - Code of the vDSO: perf names it once it has put a copy into its cache below the user's home.
 * - Code in memfds is a JIT's to perf-ts and in a file to perf.
 */
function addLine(
  lines: Map<string, SymbolLine>,
  dso: string,
  symbol: string,
  { samples, period, share, rows }: SymbolLine,
): void {
  const isNameless =
    dso === '[vdso]' ||
    isPlaceName(symbol) ||
    /^0x[0-9a-f]+$|@plt$|^\.plt$|^_init$|^\[.*\]$|^\[JIT\] tid/.test(symbol);
  const place = /^memfd:|^\[JIT\] tid/.test(dso) ? '[JIT]' : dso;
  const name = `${place} ${isNameless ? NAMELESS : symbol}`;
  const before = lines.get(name) ?? EMPTY_LINE;
  lines.set(name, {
    samples: before.samples + samples,
    period: before.period + period,
    share: before.share + share,
    rows: before.rows + rows,
  });
}

function withSums({ event, lines }: Pick<FlatTable, 'event' | 'lines'>): FlatTable {
  let samples = 0;
  let period = 0;
  for (const line of lines.values()) {
    samples += line.samples;
    period += line.period;
  }
  return { event, samples, period, lines };
}

/** The table with all lines whose names match as one. */
export function mergeLines(table: FlatTable, names: RegExp): FlatTable {
  const lines = new Map<string, SymbolLine>();
  for (const [name, line] of table.lines) {
    addLine(lines, names.test(name) ? `${names}` : name, '', line);
  }
  return { ...table, lines };
}

/**
 * Lines on which two tables of the same event disagree, each as `name: theirs ≠ ours`. Empty if
 * they say the same.
 */
export function differences(theirTable: FlatTable, ourTable: FlatTable): string[] {
  const [theirs, ours] = [withoutFoldedTwins(theirTable), withoutFoldedTwins(ourTable)];
  const shown = (line: { samples: number; period: number } | undefined) =>
    line === undefined ? 'absent' : `${line.samples} samples, ${line.period}`;
  const names = new Set([...theirs.keys(), ...ours.keys()]);
  const found: string[] = [];
  for (const name of [...names].sort()) {
    const [a, b] = [shown(theirs.get(name)), shown(ours.get(name))];
    if (a !== b) found.push(`${name}: perf ${a}; perf-ts ${b}`);
  }
  return found;
}

/**
 * The linker lays equal instances of V8's templates for kinds of elements over each other: the same address
 * has several names, and which of them a tool takes is chance.
 */
function withoutFoldedTwins({
  lines,
}: FlatTable): Map<string, { samples: number; period: number }> {
  const merged = new Map<string, { samples: number; period: number }>();
  for (const [name, { samples, period }] of lines) {
    const common = name.replace(/\(v8::internal::ElementsKind\)\d+(?:, [a-z ]+)?>/g, '(kind)>');
    const before = merged.get(common);
    merged.set(common, {
      samples: samples + (before?.samples ?? 0),
      period: period + (before?.period ?? 0),
    });
  }
  return merged;
}

/** How many samples one table has in other lines than the other. */
export function movedSamples(theirs: FlatTable, ours: FlatTable): number {
  let moved = 0;
  for (const name of new Set([...theirs.lines.keys(), ...ours.lines.keys()])) {
    const count = ({ lines }: FlatTable) => lines.get(name)?.samples ?? 0;
    moved += Math.max(0, count(theirs) - count(ours));
  }
  return moved;
}

/** perf prints shares with two digits of a per cent: each is off by up to half of the last. */
const SHARE_ROUNDING = 0.5e-4 + 1e-9;

/** Of the `top` heaviest lines, those whose share of the event the tools say differently. */
export function shareDifferences(theirs: FlatTable, ours: FlatTable, top: number): string[] {
  const heaviest = [...theirs.lines].sort(([, a], [, b]) => b.period - a.period).slice(0, top);
  return heaviest.flatMap(([name, { share, rows }]) => {
    const own = ours.lines.get(name)?.share ?? 0;
    const isEqual = Math.abs(share - own) <= rows * SHARE_ROUNDING;
    return isEqual ? [] : [`${name}: perf ${share}; perf-ts ${own}`];
  });
}
