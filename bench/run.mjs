// Runs the rows of bench/rows against the peers on this machine and prints one table.
//   npm run bench               all rows
//   npm run bench -- folded     rows whose name contains the word

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './measure.mjs';

const wanted = process.argv[2] ?? '';
const directory = join(root, 'bench/rows');
const results = [];
for (const file of readdirSync(directory)
  .filter((name) => name.endsWith('.mjs'))
  .sort()) {
  if (!file.includes(wanted)) continue;
  const { rows } = await import(join(directory, file));
  for (const result of await rows()) {
    results.push(result);
    console.log(format(result));
  }
}
const failed = results.filter((result) => result.met === false).length;
console.log(`\n${results.length} rows, ${failed} short of their number`);

/** `what | ours | peer | ratio | reach | met` */
function format({ what, ours, peer = '', ratio, reach, met, note = '' }) {
  const verdict = met === undefined ? '' : met ? 'met' : 'NOT MET';
  const figures = [
    what,
    ours,
    peer,
    ratio === undefined ? '' : `${ratio.toFixed(2)}×`,
    reach,
    verdict,
  ];
  return `| ${figures.map((figure) => figure ?? '').join(' | ')} |${note === '' ? '' : ` ${note}`}`;
}
