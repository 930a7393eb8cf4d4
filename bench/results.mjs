// Results of a run, kept by kind of machine in bench/results/KIND.json and compared with the next
// run. A kind is an architecture, a number of CPUs and a major version of Node: ratios of one kind
// are comparable, its seconds are not.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release } from 'node:os';
import { dirname, join } from 'node:path';
import { hasPerf, root } from './measure.mjs';

export function machineKind() {
  const major = process.versions.node.split('.')[0];
  return `${process.arch}-${cpus().length}cpu-node${major}`;
}

/** Path of the results of this kind of machine. */
export function resultsPath() {
  return join(root, 'bench/results', `${machineKind()}.json`);
}

/** The rows that were kept last, by `keyOf`; empty where none were. */
export function lastRows() {
  const path = resultsPath();
  if (!existsSync(path)) return new Map();
  const { rows } = JSON.parse(readFileSync(path, 'utf8'));
  return new Map(rows.map((row) => [keyOf(row.what), row]));
}

/** Keeps the rows of a run. Rows that this run did not measure stay as they were, with their date. */
export function keepRows(rows) {
  const measured = rows.filter(({ ours }) => ours !== 'not measured');
  const kept = lastRows();
  const date = new Date().toISOString().slice(0, 10);
  for (const row of measured) kept.set(keyOf(row.what), { ...rounded(row), date });
  const machine = {
    kind: machineKind(),
    kernel: release(),
    node: process.version,
    perf: perfVersion(),
    load: loadavg()[0],
  };
  const text = JSON.stringify({ machine, rows: [...kept.values()] }, null, 1);
  mkdirSync(dirname(resultsPath()), { recursive: true });
  writeFileSync(resultsPath(), `${text}\n`);
}

/** A row's words with the digits of counts alone, as these differ from recording to recording. */
export function keyOf(what) {
  return what.replace(/(\d+) samples/, (_, count) => `10^${count.length - 1} samples`);
}

function rounded({ ratio, spread, ...row }) {
  const round = (value) => Number(value.toFixed(3));
  return {
    ...row,
    ...(ratio !== undefined && { ratio: round(ratio) }),
    ...(spread !== undefined && { spread: spread.map(round) }),
  };
}

function perfVersion() {
  return hasPerf() ? execFileSync('perf', ['--version'], { encoding: 'utf8' }).trim() : null;
}
