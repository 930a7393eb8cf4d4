import { FailedError } from '../../base/errors.ts';
import {
  COMPARED_KINDS,
  type ComparedKind,
  type ComparedProfile,
} from '../../period/report/disagreement.ts';
import { innermostFuncs } from '../../profile/analysis/trees/call-nodes.ts';
import type { FuncIndex } from '../../profile/types.ts';
import type { AnalysedProfile } from './analysed-profile.ts';

/** A recording's weights and the function of each sample, for `reportPeriods` to compare. */
export function comparedProfile(opened: AnalysedProfile): ComparedProfile {
  const weights: Partial<Record<ComparedKind, Float64Array>> = {};
  for (const kind of COMPARED_KINDS) {
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
function weightsOf(opened: AnalysedProfile, kind: ComparedKind): Float64Array | null {
  try {
    return opened.weights(kind).values;
  } catch (error) {
    if (error instanceof FailedError) return null;
    throw error;
  }
}
