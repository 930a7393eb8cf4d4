import { NONE } from '../base/brand.ts';
import { eachSlice, type Slices } from '../base/slices.ts';
import { sumSubtrees } from './call-tree.ts';
import { type Profile, TIERS, type Weights } from './types.ts';

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
      const sample = samples[i] as number;
      const stack = sampleStack[sample] as number;
      if (stack !== NONE) self[stack] = (self[stack] as number) + (values[sample] as number);
    }
  });
  const total = sumSubtrees(stacks.prefix, self);
  const byTier = new Float64Array(groupCount * TIERS.length);
  for (let stack = 0; stack < stacks.length; stack++) {
    const tier = frames.tier[stacks.frame[stack] as number] as number;
    if (tier === 0) continue;
    const slot = (stackToGroup[stack] as number) * TIERS.length + tier;
    byTier[slot] = (byTier[slot] as number) + (total[stack] as number);
  }
  yield;
  const dominant = new Uint8Array(groupCount);
  for (let group = 0; group < groupCount; group++) {
    let most = 0;
    for (let tier = 1; tier < TIERS.length; tier++) {
      const weight = byTier[group * TIERS.length + tier] as number;
      if (weight <= most) continue;
      most = weight;
      dominant[group] = tier;
    }
  }
  return dominant;
}
