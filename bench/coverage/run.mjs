// Whether 95 % intervals hold the truth: simulated processes, many trials each.
//
//     node bench/coverage/run.mjs [--trials 200] [--dist DIR] [--markdown] [--kept-apart]
//       [--counts] [--finals each|sum|none] [--no-header] [words of scenarios …]

import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { lineOf, markdownOf, overall } from './summary.mjs';
import { KEPT_APART_SCENARIOS, runTrials, SCENARIOS } from './trials.mjs';

const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: {
    trials: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    dist: { type: 'string', default: join(import.meta.dirname, '../../dist') },
    counts: { type: 'boolean', default: false },
    finals: { type: 'string', default: 'sum' },
    'no-header': { type: 'boolean', default: false },
    'kept-apart': { type: 'boolean', default: false },
    markdown: { type: 'boolean', default: false },
  },
});

const modules = await loadModules(resolve(options.dist));
const summaries = [];
for (const scenario of options['kept-apart'] ? KEPT_APART_SCENARIOS : SCENARIOS) {
  if (!words.every((word) => scenario.title.includes(word))) continue;
  const summary = runTrials(modules, scenario, {
    trials: Number(options.trials),
    seed: Number(options.seed),
    hasCounts: options.counts,
    finals: options.finals,
    hasHeader: !options['no-header'],
  });
  summaries.push(summary);
  if (!options.markdown) console.log(lineOf(summary));
}
if (options.markdown) console.log(markdownOf(summaries));
console.log(overall(summaries));

async function loadModules(dist) {
  const parts = await Promise.all(
    [
      'base/slices.js',
      'period/alignment.js',
      'period/weights.js',
      'period/in-step.js',
      'period/uncertainty/event-estimator.js',
      'profile/analysis/shares/share-steps.js',
      'profile/analysis/shares/share-bounds.js',
    ].map((path) => import(join(dist, path))),
  );
  return Object.assign({}, ...parts);
}
