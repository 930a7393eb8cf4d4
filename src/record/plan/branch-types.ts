import { UsageError } from '../../base/errors.ts';
import { PERF_SAMPLE_BRANCH } from '../../kernel/perf-event/constants.ts';

/** The branches of `--call-graph lbr`: calls that have not returned, of user code. */
export const LBR_CALLS = BigInt(
  PERF_SAMPLE_BRANCH.USER |
    PERF_SAMPLE_BRANCH.CALL_STACK |
    PERF_SAMPLE_BRANCH.NO_FLAGS |
    PERF_SAMPLE_BRANCH.NO_CYCLES |
    PERF_SAMPLE_BRANCH.HW_INDEX,
);

/** perf's names of the bits. */
const BRANCHES: Readonly<Record<string, number>> = {
  u: PERF_SAMPLE_BRANCH.USER,
  k: PERF_SAMPLE_BRANCH.KERNEL,
  hv: PERF_SAMPLE_BRANCH.HV,
  any: PERF_SAMPLE_BRANCH.ANY,
  any_call: PERF_SAMPLE_BRANCH.ANY_CALL,
  any_ret: PERF_SAMPLE_BRANCH.ANY_RETURN,
  ind_call: PERF_SAMPLE_BRANCH.IND_CALL,
  abort_tx: PERF_SAMPLE_BRANCH.ABORT_TX,
  in_tx: PERF_SAMPLE_BRANCH.IN_TX,
  no_tx: PERF_SAMPLE_BRANCH.NO_TX,
  cond: PERF_SAMPLE_BRANCH.COND,
  stack: PERF_SAMPLE_BRANCH.CALL_STACK,
  ind_jmp: PERF_SAMPLE_BRANCH.IND_JUMP,
  call: PERF_SAMPLE_BRANCH.CALL,
  no_flags: PERF_SAMPLE_BRANCH.NO_FLAGS,
  no_cycles: PERF_SAMPLE_BRANCH.NO_CYCLES,
  save_type: PERF_SAMPLE_BRANCH.TYPE_SAVE,
  hw_index: PERF_SAMPLE_BRANCH.HW_INDEX,
  priv: PERF_SAMPLE_BRANCH.PRIV_SAVE,
};

/** The bits that select a privilege level; without any the event's own exclusions decide it. */
const PRIVILEGES = PERF_SAMPLE_BRANCH.USER | PERF_SAMPLE_BRANCH.KERNEL | PERF_SAMPLE_BRANCH.HV;

/** The bits of the branches that `-b` or `-j` names. Throws UsageError. */
export function branchMask(names: readonly string[]): bigint {
  let mask = 0;
  for (const name of names) {
    const bit = BRANCHES[name];
    if (bit === undefined) {
      throw new UsageError(`-j ${name}: no such kind of branch`, [
        `known: ${Object.keys(BRANCHES).join(', ')}`,
      ]);
    }
    mask |= bit;
  }
  if ((mask & ~PRIVILEGES) === 0) mask |= PERF_SAMPLE_BRANCH.ANY;
  return BigInt(mask);
}
