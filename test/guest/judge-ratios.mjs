// Holds the ratios of functions that `perf-ts report` gives of recordings of `ratios` against what the program
// counted itself: node test/guest/judge-ratios.mjs DIR, with NAME.data and NAME.txt for each run. Exit status 1 if
// fewer than 93 of 100 are in their intervals.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const main = join(dirname(fileURLToPath(import.meta.url)), '../../dist/bin/main.js');
const [directory] = process.argv.slice(2);
if (directory === undefined) {
  console.error('usage: node test/guest/judge-ratios.mjs DIR');
  process.exit(2);
}

const functions = new Map();
const runs = readdirSync(directory)
  .filter((name) => name.endsWith('.data') && existsSync(exactOf(name)))
  .sort();
for (const name of runs) judge(name);
let [shown, held] = [0, 0];
for (const [func, of] of functions) {
  shown += of.shown;
  held += of.held;
  const width = of.shown === 0 ? '–' : `±${((100 * of.width) / of.shown).toFixed(1)}%`;
  console.log(
    `${func.padEnd(12)} exact ${of.least.toFixed(3)}–${of.most.toFixed(3)}, ` +
      `in its interval ${of.held} of ${of.shown}, half width ${width}, unknown ${of.unknown}`,
  );
}
console.log(`all: ${held} of ${shown} in ${runs.length} runs`);
process.exitCode = shown > 0 && held >= 0.93 * shown ? 0 : 1;

function exactOf(name) {
  return join(directory, name.replace(/data$/, 'txt'));
}

function judge(name) {
  const path = join(directory, name);
  const text = execFileSync(process.execPath, [main, 'report', '--json', path], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const { rows } = JSON.parse(text).ratios.find(({ metric }) => metric === 'ipc');
  for (const line of readFileSync(exactOf(name), 'utf8').trim().split('\n')) {
    const [func, cycles, instructions] = line.split(' ');
    const exact = Number(instructions) / Number(cycles);
    const row = rows.find((candidate) => candidate.name === func);
    const of = functions.get(func) ?? {
      ...{ shown: 0, held: 0, unknown: 0, width: 0 },
      ...{ least: exact, most: exact },
    };
    functions.set(func, of);
    of.least = Math.min(of.least, exact);
    of.most = Math.max(of.most, exact);
    if (row === undefined || row.self === null) {
      of.unknown++;
      continue;
    }
    of.shown++;
    of.width += (row.selfHigh - row.selfLow) / 2 / exact;
    if (row.selfLow <= exact && exact <= row.selfHigh) of.held++;
    else
      console.log(`${name} ${func}: exact ${exact}, ${row.self} (${row.selfLow}–${row.selfHigh})`);
  }
}
