import { NONE } from '../../../../src/base/brand.ts';
import { eachSlice, type Slices } from '../../../../src/base/slices.ts';
import { KIND_GROUPS } from '../../../../src/formats/export/kind-group.ts';
import { WAIT_KINDS, waitKindOf } from '../../../../src/profile/off-cpu/wait-kinds.ts';
import { stacksWith } from '../../../../src/profile/stacks-with.ts';
import type { Profile } from '../../../../src/profile/types.ts';
import { isWaitEvent } from '../../../../src/profile/wait-event.ts';
import type { SummaryResult } from '../messages/panel-messages.ts';
import type { Selected } from '../recording/selected.ts';

/**
 * The weight of a selection, and whose code it was spent in, whatever the level of the selection; of waits also what
 * they were for, as the frames on top of the shown stacks have it. Samples without a stack are unknown.
 */
// Hot: once per sample.
export function* summarize({
  recording,
  profile: shown,
  samples,
  weights,
}: Selected): Slices<SummaryResult> {
  const groupOfFunc = recording.groups;
  const unknown = KIND_GROUPS.indexOf('unknown');
  const profile = recording.profileOfOwners();
  const { stacks, frames } = profile;
  const own = KIND_GROUPS.indexOf('own');
  const hasOwn = stacksWith(profile, (func) => groupOfFunc[func] === own);
  const byGroup = new Float64Array(KIND_GROUPS.length);
  const waitOfFunc = samples.length > 0 && isWaits(shown, samples[0]) ? waitKinds(shown) : null;
  const byWait = waitOfFunc && new Float64Array(WAIT_KINDS.length);
  let weight = 0;
  let belowOwn = 0;
  yield* eachSlice(samples.length, (first, end) => {
    for (let i = first; i < end; i++) {
      const sample = samples[i];
      const value = weights.values[sample];
      const stack = profile.samples.stack[sample];
      const group = stack === NONE ? unknown : groupOfFunc[frames.func[stacks.frame[stack]]];
      byGroup[group] = byGroup[group] + value;
      if (waitOfFunc !== null && byWait !== null) {
        const leaf = shown.samples.stack[sample];
        const kind =
          leaf === NONE ? OTHER_WAIT : waitOfFunc[shown.frames.func[shown.stacks.frame[leaf]]];
        byWait[kind] = byWait[kind] + value;
      }
      if (stack !== NONE && hasOwn[stack] === 1) belowOwn += value;
      weight += value;
    }
  });
  return { weight, samples: samples.length, unit: weights.unit, byGroup, byWait, belowOwn };
}

const OTHER_WAIT = WAIT_KINDS.indexOf('other');

/** All samples of a selection are of one event. */
const isWaits = ({ samples, events }: Profile, sample: number): boolean =>
  isWaitEvent(events[samples.event[sample]]);

/** Rows of `WAIT_KINDS`, by FuncIndex. */
function waitKinds({ funcs, strings }: Profile): Uint8Array {
  return Uint8Array.from(funcs.name, (name) =>
    WAIT_KINDS.indexOf(waitKindOf(strings[name]) ?? 'other'),
  );
}
