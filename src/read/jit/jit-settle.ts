import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { formatCount, formatShare } from '../../base/numbers.ts';
import type { JitCode } from '../../code/jit/jit-code.ts';
import type { DsoIndex, Profile } from '../../profile/types.ts';

/** The kinds of frames that the count below asks for. */
const IN_JIT = 1;
const IS_REUSED = 2;

/**
 * Leads frames in JIT code from the generation that told them apart back to their DSO, and counts
 * the samples whose address held other code at other times.
 */
export function settleJitFrames(
  { frames, stacks, samples }: Profile,
  jit: JitCode,
  diagnostics: Diagnostics,
): void {
  const kind = new Uint8Array(frames.length);
  for (let frame = 0; frame < frames.length; frame++) {
    const dso = frames.dso[frame] as DsoIndex;
    if ((dso as number) === NONE || !jit.isJit(dso)) continue;
    kind[frame] = jit.isReused(dso, frames.address[frame]) ? IS_REUSED : IN_JIT;
    frames.dso[frame] = jit.baseOf(dso);
  }
  let inJit = 0;
  let reused = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stack[sample];
    if (stack === NONE) continue;
    const leaf = kind[stacks.frame[stack]];
    if (leaf !== 0) inJit++;
    if (leaf === IS_REUSED) reused++;
  }
  if (reused === 0) return;
  diagnostics.count(
    jit.isTimed ? 'jit-address-reused-timed' : 'jit-address-reused-untimed',
    `${formatShare(reused / inJit)} of the ${formatCount(inJit)} in JIT code`,
    reused,
  );
}
