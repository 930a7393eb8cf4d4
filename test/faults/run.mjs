// Fails every call of every scenario in every way, and prints what a user would object to. `README.md`
// describes how to call it.

import { appendFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    errors: { type: 'string' },
    key: { type: 'string', default: '' },
    group: { type: 'string', default: 'own' },
    first: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '2' },
    log: { type: 'string' },
    list: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
  },
});

const { SCENARIOS, Bench, ERRORS, faultsOf, groupOf } = await loadDriver();
const scenarios = SCENARIOS.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);
const errors = values.errors?.split(',') ?? ERRORS;
const pattern = new RegExp(values.key);
const bench = new Bench();
const places = new Map();
let runs = 0;
let bad = 0;
try {
  for (const scenario of scenarios) await failAll(scenario);
} finally {
  bench.close();
}
for (const [place, { count, example }] of [...places].sort((a, b) => b[1].count - a[1].count)) {
  console.log(`\n${String(count).padStart(6)}  ${place}\n        ${example}`);
}
console.log(`\n${runs} runs, ${bad} with problems`);
process.exit(bad > 0 ? 1 : 0);

/** One file, so that what runs is one state of the sources; as deep as this folder. */
async function loadDriver() {
  const path = join(here, `../build/faults-${process.pid}.mjs`);
  const bundle = await rolldown({
    input: join(here, 'driver.ts'),
    platform: 'node',
    external: [/^[^./]/],
    logLevel: 'silent',
  });
  await bundle.write({ file: path, format: 'esm', codeSplitting: false });
  await bundle.close();
  try {
    return await import(pathToFileURL(path).href);
  } finally {
    rmSync(path, { force: true });
  }
}

async function failAll(scenario) {
  const { problems } = await bench.try(scenario, null);
  if (problems.length > 0) console.log(`${scenario.name} without a fault: ${problems.join('; ')}`);
  const calls = [...(await bench.calls(scenario))].filter(
    ([key]) => groupOf(key) === values.group && pattern.test(key),
  );
  if (values.list) {
    for (const [key, count] of calls) console.log(`${String(count).padStart(6)}  ${key}`);
    return;
  }
  const faults = calls
    .flatMap(([key, count]) => faultsOf(key, count))
    .filter(({ error }) => errors.includes(error))
    .filter(({ turn, andLater }) => !values.first || (turn === 1 && !andLater));
  const started = Date.now();
  let next = 0;
  const worker = async () => {
    while (next < faults.length) report(await bench.try(scenario, faults[next++]));
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  const seconds = ((Date.now() - started) / 1000).toFixed(0);
  console.log(`${scenario.name}: ${calls.length} calls, ${faults.length} faults, ${seconds} s`);
}

function report({ run, problems }) {
  runs++;
  const { key, turn, error, andLater } = run.fault;
  const fault = `${run.scenario}: ${key} #${turn}${andLater ? '+' : ''} ${error}`;
  if (values.log !== undefined) {
    const { exit, stderr, wasHit } = run;
    appendFileSync(values.log, `${JSON.stringify({ fault, wasHit, exit, problems, stderr })}\n`);
  }
  if (values.verbose) console.log(`${run.exit} ${fault}\n${run.stderr}`);
  if (problems.length === 0) return;
  bad++;
  const place = `${run.scenario}: ${key}: ${problems.join('; ')}`;
  const known = places.get(place);
  const firstLines = run.stderr.split('\n').slice(0, 4).join(' | ');
  if (known !== undefined) known.count++;
  else
    places.set(place, { count: 1, example: `${error} #${turn}, exit ${run.exit}: ${firstLines}` });
}
