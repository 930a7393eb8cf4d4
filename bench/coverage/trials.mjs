// The trials of a scenario: a kind of process, sampled in one way, many times.

import { productOf } from './estimate.mjs';
import { judge } from './judge.mjs';
import { KEPT_APART } from './kept-apart.mjs';
import { KINDS } from './processes.mjs';
import { createRandom } from './random.mjs';
import { sampleProcess } from './sample.mjs';
import { summarize } from './summary.mjs';

const NAMES = { hardware: 'hardware', x86: 'x86', pebs: 'PEBS' };

/**
 * Every kind with each of its samplings, `{ title, build, sampling, isInStep }`: those at a rate also as an x86
 * counter takes them.
 */
export const SCENARIOS = scenariosOf(KINDS);
export const KEPT_APART_SCENARIOS = scenariosOf(KEPT_APART);

function scenariosOf(kinds) {
  return kinds.flatMap(({ name, build, samplings, isInStep = false }) =>
    bothConventions(samplings).map((sampling) => ({
      title: `${name}, ${labelOf(sampling)}`,
      build,
      sampling,
      isInStep,
    })),
  );
}

function bothConventions(samplings) {
  const hz = new Set(samplings.flatMap(({ frequencyHz }) => frequencyHz ?? []));
  return [...samplings, ...Array.from(hz, (frequencyHz) => ({ rule: 'x86', frequencyHz }))];
}

/** Runs a scenario's trials and sums them up. `modules`: those of the product, see `estimate.mjs`. */
export function runTrials(modules, scenario, { trials, seed = 1, ...recorded }) {
  const product = productOf(modules);
  const judged = [];
  for (let trial = 0; trial < trials; trial++) {
    const random = createRandom(seed * 1_000_003 + trial * 7919);
    const process = sampleProcess(scenario.build(random), scenario.sampling, random);
    judged.push(judge(product, process, scenario.sampling, recorded));
  }
  return { title: scenario.title, isInStep: scenario.isInStep, ...summarize(judged) };
}

function labelOf({ rule, frequencyHz, period, isBuffered }) {
  if (rule === 'fixed') return `-c ${period}${isBuffered ? ' PEBS' : ''}`;
  return `-F ${frequencyHz}${rule === 'software' ? '' : ` ${NAMES[rule]}`}`;
}
