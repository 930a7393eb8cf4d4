// What Debian's perf says of a recording, in the form in which perf-ts says it.

import { spawnSync } from 'node:child_process';
import { loadBinding } from '../../src/native/binding.ts';
import { demangleAll } from '../../src/symbols/demangle.ts';
import { perfTs } from './cli.ts';

const LARGEST_REPORT = 2 ** 28;

/** One line of a flat report: what has its own samples in one symbol of one DSO. */
export type SymbolLine = { readonly samples: number; readonly period: number };

/** The flat report of one event: lines by `DSO symbol`, and their sums. */
export type FlatTable = {
  readonly event: string;
  readonly samples: number;
  readonly period: number;
  readonly lines: ReadonlyMap<string, SymbolLine>;
};

/** Code of a DSO without a symbol of its own. */
const NAMELESS = '[unknown]';

/**
 * `perf report`'s flat tables, by self weight, one per event with samples. `pipe`: the recording as
 * a stream, `file` being `-`. Names are demangled as perf-ts does it: perf leaves parameters out.
 */
export function perfTables(file: string, pipe?: Buffer): FlatTable[] {
  const columns = ['-F', 'sample,period,dso,sym', '-t', '\t', '--percent-limit', '0'];
  const flat = ['--stdio', '--no-children', '-g', 'none', '--no-demangle'];
  // perf 6.1 looks for the group's leader before it has read any event of a pipe, and crashes.
  const singly = pipe ? [] : ['--no-group'];
  const run = spawnSync('perf', ['report', '-i', file, ...columns, ...flat, ...singly], {
    encoding: 'utf8',
    maxBuffer: LARGEST_REPORT,
    ...(pipe && { input: pipe }),
  });
  if (run.status !== 0) throw new Error(`perf report fails on ${file}: ${run.stderr}`);
  const tables: { event: string; lines: Map<string, SymbolLine> }[] = [];
  for (const text of run.stdout.split('\n')) {
    // # Samples: 2K of event 'cpu-clock'
    const head = /^# Samples: .* of events? '(.*)'$/.exec(text);
    if (head) tables.push({ event: head[1] as string, lines: new Map() });
    // " 2683 \t 536600000 \tworkload \t[.] leaf "
    const row = /^\s*(\d+)\s*\t\s*(\d+)\s*\t(.*?)\s*\t\[.\] (.*?)\s*$/.exec(text);
    if (!row) continue;
    const [, samples, period, dso, symbol] = row as unknown as [string, ...string[]];
    const [shown] = demangleAll([symbol as string], loadBinding().demangle);
    const line = { samples: Number(samples), period: Number(period) };
    addLine(tables.at(-1)!.lines, dso as string, shown as string, line);
  }
  return tables.map(withSums).filter((table) => table.samples > 0);
}

/** The same from `perf-ts report --json --weight period`. */
export function ourTables(file: string, pipe?: Buffer): FlatTable[] {
  const run = perfTs(['report', '--json', '--weight', 'period', file], {
    ...(pipe && { input: pipe }),
  });
  if (run.status !== 0) throw new Error(`perf-ts report fails on ${file}: ${run.stderr}`);
  const report = JSON.parse(run.stdout) as {
    events: {
      event: string;
      samples: number;
      total: number;
      rows: { name: string; dso: string; self: number; samples: number }[];
    }[];
  };
  const tables = report.events.map(({ event, samples, total, rows }) => {
    const lines = new Map<string, SymbolLine>();
    for (const row of rows) {
      const line = { samples: row.samples, period: row.self };
      if (row.samples > 0) addLine(lines, row.dso, row.name, line);
    }
    return { event, samples, period: total, lines };
  });
  return tables.filter((table) => table.samples > 0);
}

/**
 * Adds a line under the name that both tools have for it. They differ, on purpose, in these:
 *
 * - Code without a symbol: perf has a line for each address.
 * - PLT stubs: perf 6.1 names those of `.plt` only, and not in every file; the rest has no name or
 *   that of `_init` in front of it. perf-ts names them all, as newer perfs do.
 * - Code in memfds is a JIT's to perf-ts and in a file to perf.
 */
function addLine(
  lines: Map<string, SymbolLine>,
  dso: string,
  symbol: string,
  { samples, period }: SymbolLine,
): void {
  const isNameless = /^0x[0-9a-f]+$|@plt$|^\.plt$|^_init$/.test(symbol);
  const place = /^memfd:|^\[JIT\] tid/.test(dso) ? '[JIT]' : dso;
  const name = `${place} ${isNameless ? NAMELESS : symbol}`;
  const before = lines.get(name) ?? { samples: 0, period: 0 };
  lines.set(name, { samples: before.samples + samples, period: before.period + period });
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

/**
 * Lines on which two tables of the same event disagree, each as `name: theirs ≠ ours`. Empty if
 * they say the same.
 */
export function differences(theirs: FlatTable, ours: FlatTable): string[] {
  const shown = (line: SymbolLine | undefined) =>
    line === undefined ? 'absent' : `${line.samples} samples, ${line.period}`;
  const names = new Set([...theirs.lines.keys(), ...ours.lines.keys()]);
  const found: string[] = [];
  for (const name of [...names].sort()) {
    const [a, b] = [shown(theirs.lines.get(name)), shown(ours.lines.get(name))];
    if (a !== b) found.push(`${name}: perf ${a}; perf-ts ${b}`);
  }
  return found;
}
