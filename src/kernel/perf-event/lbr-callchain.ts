// Hot: once per sample.

import { readAddress } from '../../base/u64.ts';
import { BRANCH_ENTRY_BYTES } from './branch-stack.ts';
import { firstUserEntry, isContextMarker } from './callchain.ts';
import { PERF_CONTEXT } from './constants.ts';
import type { SampleView } from './sample.ts';

/**
 * The innermost user frame: the address where the sample was taken, or, as
 * `perf script` prints it, the entry of the function that was called last.
 */
export type LbrInnermost = 'ip' | 'entry';

/**
 * Replaces the user part of the callchain, which the kernel found by frame pointers, by the calls that
 * the CPU recorded. They are of user code only, so the kernel's part stays:
 *
 *   recorded   KERNEL  k0 k1  USER  ip  f1 f2       callchain by frame pointer
 *              (from 0, to 0) (from 1, to 1)        branch stack
 *   joined     KERNEL  k0 k1  USER  ip  USER  from 0  USER  from 1
 *
 * `from` is the call itself, not the address behind it. So each has a USER marker of its own, behind
 * which entries are instruction pointers. A function that was reached by a jump at the end of
 * another one (a tail call) has the other one's callers; only its `ip` shows it.
 *
 * False, and the callchain stays, where it has no user part, as those of kernel threads, or where the
 * CPU had recorded no call. As perf's `resolve_lbr_callchain_sample`, which then leaves the user part
 * out. Addresses that no code can have end the chain.
 */
export function joinLbrCallchain(
  sample: SampleView,
  littleEndian: boolean,
  innermost: LbrInnermost,
): boolean {
  const { view, callchain, callchainLength, branchOffset, branchCount } = sample;
  const firstUser = firstUserEntry(callchain, callchainLength);
  const hasUserPart = firstUser > 0 && callchain[firstUser - 1] === PERF_CONTEXT.USER;
  if (!hasUserPart || branchCount === 0) return false;
  const ip = firstUser < callchainLength ? callchain[firstUser] : Number.NaN;
  const entry = readAddress(view, branchOffset + 8, littleEndian);
  const leaf = innermost === 'entry' || !canBeCode(ip) ? entry : ip;
  if (!canBeCode(leaf)) return false;
  let at = firstUser;
  callchain[at++] = leaf;
  for (let i = 0; i < branchCount; i++) {
    const from = readAddress(view, branchOffset + BRANCH_ENTRY_BYTES * i, littleEndian);
    if (!canBeCode(from)) break;
    callchain[at++] = PERF_CONTEXT.USER;
    callchain[at++] = from;
  }
  sample.callchainLength = at;
  return true;
}

function canBeCode(address: number): boolean {
  return Number.isSafeInteger(address) && !isContextMarker(address);
}
