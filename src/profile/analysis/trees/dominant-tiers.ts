import { NONE } from '../../../base/brand.ts';
import { eachSlice, type Slices } from '../../../base/slices.ts';
import { type Profile, TIERS, type Weights } from '../../types.ts';
import { sumSubtrees } from './call-tree.ts';

/**
 * How V8 ran most of each group's weight, as rows of `TIERS`: 0 for groups that are not JavaScript.
 * `stackToGroup` says to which group (call node, function) the frame of each stack row belongs.
 * Null: no frame of the profile is JavaScript.
 */
export function* computeDominantTiers(
  profile: Profile,
  weights: Weights,
  samples: Int32Array,
  stackToGroup: Int32Array,
  groupCount: number,
): Slices<Uint8Array | null> {
  const { frames, stacks } = profile;
  if (!frames.tier.some((tier) => tier > 0)) return null;
  const self = new Float64Array(stacks.length);
  // Hot: once per sample, then once per stack row.
  const sampleStack = profile.samples.stack;
  const { values } = weights;
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      const sample = samples[i];
      const stack = sampleStack[sample];
      if (stack !== NONE) self[stack] = self[stack] + values[sample];
    }
  });
  const total = sumSubtrees(stacks.prefix, self);
  const byTier = new Float64Array(groupCount * TIERS.length);
  for (let stack = 0; stack < stacks.length; stack++) {
    const tier = frames.tier[stacks.frame[stack]];
    if (tier === 0) continue;
    const slot = stackToGroup[stack] * TIERS.length + tier;
    byTier[slot] = byTier[slot] + total[stack];
  }
  yield;
  const dominant = new Uint8Array(groupCount);
  for (let group = 0; group < groupCount; group++) {
    let most = 0;
    for (let tier = 1; tier < TIERS.length; tier++) {
      const weight = byTier[group * TIERS.length + tier];
      if (weight <= most) continue;
      most = weight;
      dominant[group] = tier;
    }
  }
  return dominant;
}
