// How far the shares of a profile are from the truth: scenario × event × rate × counter, repeated.
//   node bench/accuracy/run.mjs                      all
//   node bench/accuracy/run.mjs --quick short calls  one rate pair, scenarios and events by word
// Options: --repeat N (1), --seed N (1), --rates 500,5000, --json FILE (all rows), --keep DIR (the
// recordings, for replay.mjs), --no-perf (without the peer's runs).

import { existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hasPerf, outDirectory, root } from '../measure.mjs';
import { loadBuild } from './build.mjs';
import { errorFactor, measure, sharesOf } from './measure.mjs';
import { compilePrograms, discard, KINDS, perfReport, readTruth, record } from './record.mjs';
import { randomNumbers, scenarios } from './scenarios.mjs';
import { formatTables } from './tables.mjs';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: 'boolean' },
    repeat: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    rates: { type: 'string' },
    json: { type: 'string' },
    keep: { type: 'string' },
    'no-perf': { type: 'boolean' },
  },
});

const RATES = [500, 1000, 5000, 30_000];
const QUICK_RATES = [1000, 5000];

const build = await loadBuild(join(root, 'dist'));
const base = options.keep === undefined ? join(outDirectory, 'accuracy') : resolve(options.keep);
const programs = join(base, 'bin');
compilePrograms(programs);
const peer = hasPerf() && !options['no-perf'];

const results = [];
const failures = [];
for (const run of plannedRuns()) {
  const directory = join(base, 'runs', nameOf(run));
  try {
    // What a stopped bench has kept is not recorded again.
    if (!existsSync(join(directory, 'run.json'))) record(run, directory, programs, peer);
    const result = await resultOf(run, directory);
    results.push(result);
    console.error(describe(run, result));
  } catch (error) {
    // Hours of other runs shall not be lost with one.
    failures.push(`${nameOf(run)}: ${error.message}`);
    console.error(failures.at(-1));
  }
  if (options.keep === undefined) discard(directory);
  if (options.json !== undefined) writeFileSync(options.json, JSON.stringify(results, null, 1));
}
console.log(formatTables(results));
if (failures.length > 0) {
  console.log(`\n${failures.length} runs failed and are in no table:\n${failures.join('\n')}`);
  process.exitCode = 1;
}

function describe(run, { samples, ess, rows }) {
  const worst = Math.max(...rows.map((row) => row.factors.events));
  const figures = `${samples} samples, ESS ${ess.toFixed(0)}, worst factor ${worst.toFixed(3)}`;
  return `${nameOf(run)}: ${figures}`;
}

/** Every repetition of every combination that the words leave. */
function plannedRuns() {
  const rates = options.rates?.split(',').map(Number) ?? (options.quick ? QUICK_RATES : RATES);
  const runs = [];
  for (let repetition = 0; repetition < Number(options.repeat); repetition++) {
    for (const scenario of Object.keys(scenarios)) {
      for (const kind of Object.keys(KINDS)) {
        for (const hz of rates) {
          for (const counts of [false, true]) {
            const seed = Number(options.seed) * 100_000 + repetition * 1000 + runs.length;
            runs.push({ scenario, kind, hz, counts, seed });
          }
        }
      }
    }
  }
  return shuffle(runs.filter(isWanted));
}

/** So that other work on the machine hits all alike, and a stopped bench has some of everything. */
function shuffle(runs) {
  const random = randomNumbers(Number(options.seed));
  for (let i = runs.length - 1; i > 0; i--) {
    const other = Math.floor(random() * (i + 1));
    [runs[i], runs[other]] = [runs[other], runs[i]];
  }
  return runs;
}

/** Words are parts of scenario names, or names of events; of each sort one must fit. */
function isWanted(run) {
  const kinds = words.filter((word) => word in KINDS);
  const names = words.filter((word) => !(word in KINDS));
  const hasKind = kinds.length === 0 || kinds.includes(run.kind);
  return hasKind && (names.length === 0 || names.some((word) => run.scenario.includes(word)));
}

function nameOf({ scenario, kind, hz, counts, seed }) {
  return `${scenario}-${kind}-${hz}${counts ? '-counts' : ''}-${seed}`;
}

/** Our rows, with perf's shares of our file and of its own run beside them. */
async function resultOf(run, directory) {
  const data = join(directory, 'perf.data');
  const truth = readTruth(join(directory, 'truth.json'));
  const result = await measure(build, data, truth);
  if (peer) {
    // perf up to 6.12 misreads counter values on inherited events.
    if (!run.counts) addPeer(result, 'perf on our file', data, truth);
    const theirTruth = readTruth(join(directory, 'peer-truth.json'));
    addPeer(result, 'perf', join(directory, 'peer.data'), theirTruth);
    writeFileSync(join(directory, 'peer.json'), JSON.stringify(peerFactors(result)));
  }
  return { run, ...result };
}

function addPeer(result, way, data, truth) {
  const names = Object.keys(truth.events);
  const trueShares = sharesOf(Object.values(truth.events));
  const shares = sharesOf([...perfReport(data, names).values()]);
  for (const row of result.rows) {
    const i = names.indexOf(row.name);
    row.factors[way] = errorFactor(shares[i], trueShares[i]);
  }
}

function peerFactors(result) {
  return Object.fromEntries(
    result.rows.map(({ name, factors }) => [
      name,
      { perf: factors.perf, 'perf on our file': factors['perf on our file'] },
    ]),
  );
}
