// Runs the rows of bench/rows against the peers on this machine and prints one table.
//   npm run bench                     all rows
//   npm run bench -- folded view      rows of files whose name contains one of the words
//   npm run bench -- --keep           keeps the results in bench/results/ for the next comparison

import { existsSync, readdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { perfTs, root } from './measure.mjs';
import { keepRows, keyOf, lastRows, machineKind } from './results.mjs';

const args = process.argv.slice(2);
const words = args.filter((arg) => !arg.startsWith('--'));
if (!existsSync(perfTs[1])) {
  console.error('perf-ts is not built: npm run build');
  process.exit(1);
}

const last = lastRows();
if (process.env.NODE_EXTRA_CA_CERTS) {
  console.log(
    'NODE_EXTRA_CA_CERTS is set: each start of Node parses its certificates, 0.04 s of 140\n',
  );
}
console.log(`${machineKind()}, load ${loadavg()[0].toFixed(1)} on ${cpus().length} CPUs\n`);
console.log('| what | ours | peer | ratio | least–greatest | last | reach | met |');
console.log('| --- | --- | --- | --- | --- | --- | --- | --- |');
const results = [];
const directory = join(root, 'bench/rows');
for (const file of readdirSync(directory).sort()) {
  if (words.length > 0 && !words.some((word) => file.includes(word))) continue;
  const { rows } = await import(join(directory, file));
  for (const result of await rows()) {
    results.push(result);
    console.log(format(result));
  }
}
if (args.includes('--keep')) keepRows(results);
const short = results.filter(({ met }) => met === false).length;
const missing = results.filter(({ ours }) => ours === 'not measured').length;
console.log(
  `\n${results.length} rows, ${short} short of their number, ${missing} not measured, ` +
    `load ${loadavg()[0].toFixed(1)}`,
);

function format({ what, ours, peer = '', ratio, spread, reach = '', met, note = '' }) {
  const before = last.get(keyOf(what));
  const figures = [
    what,
    ours,
    peer,
    ratio === undefined ? '' : `${ratio.toFixed(2)}×`,
    spread === undefined ? '' : spread.map((value) => value.toFixed(2)).join('–'),
    before?.ratio === undefined ? (before?.ours ?? '') : `${before.ratio.toFixed(2)}×`,
    reach,
    met === undefined ? '' : met ? 'met' : 'NOT MET',
  ];
  return `| ${figures.join(' | ')} |${note === '' ? '' : ` ${note}`}`;
}
