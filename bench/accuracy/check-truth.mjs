// Whether the programs tell the truth: with period 1 every event is a sample, so the samples in
// each function must be what its program counted, all of them.
//   node bench/accuracy/check-truth.mjs
// The scripts are those of the bench, cut down to what a ring takes.

import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { outDirectory, perfTs, root } from '../measure.mjs';
import { functionOfSamples } from './measure.mjs';
import { compilePrograms, KINDS, readTruth } from './record.mjs';
import { scenarios, scriptOf } from './scenarios.mjs';

const directory = join(outDirectory, 'accuracy');
mkdirSync(directory, { recursive: true });
compilePrograms(join(directory, 'bin'));
const { openProfile } = await import(join(root, 'dist/index.js'));
const paths = Object.fromEntries(
  ['script', 'truth.json', 'every.data'].map((name) => [name, join(directory, name)]),
);

let wrong = 0;
for (const [kind, { event, flags }] of Object.entries(KINDS)) {
  for (const [name, scenario] of Object.entries(scenarios)) {
    writeFileSync(paths.script, shorten(scriptOf(scenario, kind, 1), kind === 'calls' ? 100 : 20));
    const [command, ...args] = perfTs;
    const program = join(directory, 'bin', scenario.program);
    execFileSync(command, [
      ...args,
      ...['record', '-q', '-e', event, '-c', '1', '-m', '16M', ...flags],
      ...['-o', paths['every.data'], '--', program, kind, paths.script, paths['truth.json']],
    ]);
    const differences = await compare(readTruth(paths['truth.json']), name, kind);
    wrong += differences;
  }
}
console.log(wrong === 0 ? 'the truth is true' : `${wrong} functions differ`);
process.exitCode = wrong === 0 ? 0 : 1;

/** A script with a part of the events, without spins. */
function shorten(script, times) {
  return script.replace(
    /^run (\w) (\d+) \d+$/gm,
    (_, name, events) => `run ${name} ${Math.ceil(Number(events) / times)} 0`,
  );
}

/** Prints a line and gives how many functions differ. */
async function compare(truth, scenario, kind) {
  const { profile } = await openProfile(paths['every.data']);
  const names = Object.keys(truth.events);
  const seen = new Array(names.length).fill(0);
  for (const key of functionOfSamples(profile, names)) if (key >= 0) seen[key]++;
  const lost = profile.losses.reduce((sum, { lostSamples }) => sum + lostSamples, 0);
  const differing = names.filter((name, i) => seen[i] !== truth.events[name]);
  const made = Object.values(truth.events).reduce((a, b) => a + b, 0);
  const elsewhere = profile.samples.length - seen.reduce((a, b) => a + b, 0);
  const details = differing.map((name) => `${name} ${seen[names.indexOf(name)]}`);
  console.log(
    `${kind} ${scenario}: ${made} made, ${elsewhere} elsewhere, ${lost} lost; ` +
      (differing.length === 0 ? 'equal' : `DIFFER: ${details.join(', ')}`),
  );
  return differing.length;
}
