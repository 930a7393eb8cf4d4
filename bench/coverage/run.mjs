// Whether 95 % intervals hold the truth: simulated processes, many trials each.
//
//     node bench/coverage/run.mjs [--trials 200] [--dist DIR] [words of scenarios …]

import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { productOf } from './estimate.mjs';
import { judge } from './judge.mjs';
import { KINDS } from './processes.mjs';
import { createRandom } from './random.mjs';
import { sampleProcess } from './sample.mjs';
import { summarize, tableOf } from './summary.mjs';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    trials: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    dist: { type: 'string', default: join(import.meta.dirname, '../../dist') },
    counts: { type: 'boolean', default: false },
  },
});

const product = productOf(await loadModules(resolve(options.dist)));
const summaries = [];
for (const { name, build, samplings, isInStep = false } of KINDS) {
  for (const sampling of samplings) {
    const title = `${name} ${labelOf(sampling)}`;
    if (!words.every((word) => title.includes(word))) continue;
    const trials = [];
    for (let trial = 0; trial < Number(options.trials); trial++) {
      const random = createRandom(Number(options.seed) * 1_000_003 + trial * 7919);
      const process = sampleProcess(build(random), sampling, random);
      trials.push(judge(product, process, sampling, options.counts));
    }
    const summary = { title, isInStep, ...summarize(trials) };
    summaries.push(summary);
    console.log(tableOf([summary]));
  }
}

function labelOf({ rule, frequencyHz, period }) {
  if (rule === 'fixed') return `-c ${period}`;
  return `-F ${frequencyHz}${rule === 'hardware' ? ' hw' : ''}`;
}

async function loadModules(dist) {
  const parts = await Promise.all(
    [
      'base/slices.js',
      'period/alignment.js',
      'period/weights.js',
      'period/in-step.js',
      'period/uncertainty/uncertainty.js',
      'period/uncertainty/measured.js',
      'profile/analysis/share-steps.js',
      'profile/analysis/share-bounds.js',
    ].map((path) => import(join(dist, path))),
  );
  return Object.assign({}, ...parts);
}
