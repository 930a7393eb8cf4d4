// Hostile neighbours, and what must hold beside each.

import type { Result } from '../matrix.ts';
import type { Place } from '../ways.ts';
import { ANSWERING } from './answers.ts';
import { PROCESSES } from './processes.ts';
import { SERVICES } from './services.ts';
import { SQUATTERS } from './squatters.ts';

/** One attack: `run` gives what did not hold, in a line each. */
export type HostileCase = {
  readonly name: string;
  /** Why it cannot be tried here; null where it can. */
  readonly obstacle: () => string | null;
  readonly run: (place: Place) => Promise<readonly string[]>;
};

export const HOSTILE_CASES: readonly HostileCase[] = [
  ...SQUATTERS,
  ...ANSWERING,
  ...PROCESSES,
  ...SERVICES,
];

export async function runHostile(one: HostileCase, place: Place): Promise<Result> {
  const name = `hostile | ${one.name}`;
  const obstacle = one.obstacle();
  if (obstacle !== null) return { name, verdict: 'skipped', difference: obstacle, seconds: 0 };
  const started = performance.now();
  const problems = await one.run(place);
  const seconds = (performance.now() - started) / 1000;
  return {
    name,
    verdict: problems.length === 0 ? 'passed' : 'failed',
    difference: problems.join('; '),
    seconds,
  };
}
