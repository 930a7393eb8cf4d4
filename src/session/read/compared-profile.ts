import { FailedError } from '../../base/errors.ts';
import type { ComparedProfile } from '../../period/report/disagreement.ts';
import { innermostFuncs } from '../../profile/call-nodes.ts';
import type { FuncIndex, WeightKind } from '../../profile/types.ts';
import type { OpenedProfile } from './open-profile.ts';

const KINDS: readonly WeightKind[] = ['samples', 'period', 'events', 'time'];

/** A recording's weights and the function of each sample, for `reportPeriods` to compare. */
export function comparedProfile(opened: OpenedProfile): ComparedProfile {
  const weights: Partial<Record<WeightKind, Float64Array>> = {};
  for (const kind of KINDS) {
    const values = weightsOf(opened, kind);
    if (values !== null) weights[kind] = values;
  }
  return {
    weights,
    funcOfSample: innermostFuncs(opened.profile),
    funcCount: opened.profile.funcs.length,
    nameOf: (func) => (func < 0 ? '[no stack]' : opened.nameOf(func as FuncIndex)),
  };
}

/** Null where the recording does not hold what the weight needs. */
function weightsOf(opened: OpenedProfile, kind: WeightKind): Float64Array | null {
  try {
    return opened.weights(kind).values;
  } catch (error) {
    if (error instanceof FailedError) return null;
    throw error;
  }
}
