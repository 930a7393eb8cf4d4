import { NONE } from '../../base/brand.ts';
import type { IntColumn } from '../../base/int-column.ts';
import type { Profile, Weights } from '../types.ts';

/** Weight and number of the samples with each key: 0 … `keyCount` − 1, or −1 for none, by row of the sample table. */
export function sumByKey(
  rows: Int32Array,
  { values }: Weights,
  keyOfSample: IntColumn,
  keyCount: number,
): { readonly weight: Float64Array; readonly samples: Int32Array } {
  const weight = new Float64Array(keyCount);
  const samples = new Int32Array(keyCount);
  // Hot: once per sample.
  for (let i = 0; i < rows.length; i++) {
    const key = keyOfSample[rows[i]];
    if (key === NONE) continue;
    weight[key] = weight[key] + values[rows[i]];
    samples[key] = samples[key] + 1;
  }
  return { weight, samples };
}

/** Weight of the samples that have each stack, by StackIndex. */
export function weightsOfStacks(
  { samples: table, stacks }: Profile,
  weights: Weights,
  samples: Int32Array,
): Float64Array {
  return sumByKey(samples, weights, table.stack, stacks.length).weight;
}

/**
 * Weight of the samples with a frame of each key anywhere on the stack. `keyOfFrame` has 0 … `keyCount` − 1, or −1 for
 * none; a key that recurs on a stack counts once.
 */
export function totalsOfFrames(
  { stacks }: Profile,
  stackWeights: Float64Array,
  keyOfFrame: Int32Array,
  keyCount: number,
): Float64Array {
  const totals = new Float64Array(keyCount);
  // The stack that last added to each key.
  const countedBy = new Int32Array(keyCount).fill(NONE);
  // Hot: once per frame of each stack with samples of its own.
  for (let stack = 0; stack < stacks.length; stack++) {
    const weight = stackWeights[stack];
    if (weight === 0) continue;
    for (let row = stack; row !== NONE; row = stacks.prefix[row]) {
      const key = keyOfFrame[stacks.frame[row]];
      if (key === NONE || countedBy[key] === stack) continue;
      countedBy[key] = stack;
      totals[key] = totals[key] + weight;
    }
  }
  return totals;
}
