// The same recordings through another build: what a change in src/period does to the error.
//   node bench/accuracy/replay.mjs DIR [--dist DIST] [--against DIST] [--bias] [--runs] [word…]
// DIR is what run.mjs --keep wrote; DIST is a build's directory (dist). --against prints which
// functions another build has further from the truth or nearer to it. --runs prints every run,
// --bias what stays over repetitions, --json FILE writes all rows.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../measure.mjs';
import { biasTable } from './bias.mjs';
import { loadBuild } from './build.mjs';
import { formatFactor } from './distribution.mjs';
import { measure, WEIGHTS } from './measure.mjs';
import { readTruth } from './record.mjs';
import { comparisonTable, formatTables } from './tables.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dist: { type: 'string', default: join(root, 'dist') },
    against: { type: 'string' },
    json: { type: 'string' },
    runs: { type: 'boolean' },
    bias: { type: 'boolean' },
  },
});
const [base, ...words] = positionals;
if (base === undefined) {
  console.error('replay.mjs: which directory? It is what run.mjs --keep DIR wrote');
  process.exit(2);
}
const build = await loadBuild(options.dist);
const other = options.against === undefined ? null : await loadBuild(options.against);

const results = [];
const others = [];
for (const name of readdirSync(join(base, 'runs')).sort()) {
  const directory = join(base, 'runs', name);
  const description = join(directory, 'run.json');
  // A run that is being recorded has none yet.
  if (!existsSync(description) || !words.every((word) => name.includes(word))) continue;
  const run = JSON.parse(readFileSync(description, 'utf8'));
  const truth = readTruth(join(directory, 'truth.json'));
  const data = join(directory, 'perf.data');
  const result = await measure(build, data, truth);
  addPeer(result, join(directory, 'peer.json'));
  results.push({ run, ...result });
  if (other !== null) others.push({ run, ...(await measure(other, data, truth)) });
  if (options.runs) printRun(name, result, others.at(-1));
}
if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1));
if (options.bias) console.log(`${biasTable(results)}\n`);
console.log(other === null ? formatTables(results) : comparisonTable(results, others));

/** What perf reported is of its own build, and stays. */
function addPeer(result, path) {
  if (!existsSync(path)) return;
  const peer = JSON.parse(readFileSync(path, 'utf8'));
  for (const row of result.rows) Object.assign(row.factors, peer[row.name]);
}

function printRun(name, { samples, ess, sumRatio, rows }, theirs) {
  console.log(`${name}: ${samples} samples, ESS ${ess.toFixed(0)}, Σ/made ${sumRatio.toFixed(5)}`);
  rows.forEach((row, i) => {
    const factors = WEIGHTS.map((w) => `${w} ${formatFactor(row.factors[w])}`).join('  ');
    const against = theirs ? `  against ${formatFactor(theirs.rows[i].factors.events)}` : '';
    console.log(`    ${row.name} true ${(row.trueShare * 100).toFixed(2)} %  ${factors}${against}`);
  });
}
