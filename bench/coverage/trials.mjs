// The trials of a scenario: a kind of process, sampled in one way, many times.

import { productOf } from './estimate.mjs';
import { judge } from './judge.mjs';
import { KINDS } from './processes.mjs';
import { createRandom } from './random.mjs';
import { sampleProcess } from './sample.mjs';
import { summarize } from './summary.mjs';

/** Every kind with each of its samplings: `{ title, build, sampling, isInStep }`. */
export const SCENARIOS = KINDS.flatMap(({ name, build, samplings, isInStep = false }) =>
  samplings.map((sampling) => ({
    title: `${name}, ${labelOf(sampling)}`,
    build,
    sampling,
    isInStep,
  })),
);

/** Runs a scenario's trials and sums them up. `modules`: those of the product, see `estimate.mjs`. */
export function runTrials(modules, scenario, { trials, seed = 1, hasCounts = false }) {
  const product = productOf(modules);
  const judged = [];
  for (let trial = 0; trial < trials; trial++) {
    const random = createRandom(seed * 1_000_003 + trial * 7919);
    const process = sampleProcess(scenario.build(random), scenario.sampling, random);
    judged.push(judge(product, process, scenario.sampling, hasCounts));
  }
  return { title: scenario.title, isInStep: scenario.isInStep, ...summarize(judged) };
}

function labelOf({ rule, frequencyHz, period }) {
  if (rule === 'fixed') return `-c ${period}`;
  return `-F ${frequencyHz}${rule === 'hardware' ? ' hardware' : ''}`;
}
