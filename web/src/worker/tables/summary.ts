import { NONE } from '../../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import { stacksWith } from '../../../../src/profile/stacks-with.ts';
import { KIND_GROUPS } from '../messages/kind-group.ts';
import type { SummaryResult } from '../messages/panel-messages.ts';
import type { Selected } from '../recording/selected.ts';

/**
 * The weight of a selection, and whose code it was spent in, whatever the level of the selection. Samples without a
 * stack are unknown.
 */
// Hot: once per sample.
export function* summarize({ recording, samples, weights }: Selected): Slices<SummaryResult> {
  const groupOfFunc = recording.groups;
  const unknown = KIND_GROUPS.indexOf('unknown');
  const profile = recording.profileOfOwners();
  const { stacks, frames } = profile;
  const own = KIND_GROUPS.indexOf('own');
  const hasOwn = stacksWith(profile, (func) => groupOfFunc[func] === own);
  const byGroup = new Float64Array(KIND_GROUPS.length);
  let weight = 0;
  let belowOwn = 0;
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      const sample = samples[i];
      const value = weights.values[sample];
      const stack = profile.samples.stack[sample];
      const group = stack === NONE ? unknown : groupOfFunc[frames.func[stacks.frame[stack]]];
      byGroup[group] = byGroup[group] + value;
      if (stack !== NONE && hasOwn[stack] === 1) belowOwn += value;
      weight += value;
    }
  });
  return { weight, samples: samples.length, unit: weights.unit, byGroup, belowOwn };
}
