import { NONE } from '../base/brand.ts';
import type { StackEnds } from './cut-stacks.ts';
import type { Profile } from './types.ts';

/** Stacks that are cut for one reason in one DSO. */
export type CutStacks = {
  /** In words. */
  readonly reason: string;
  /** DSO of the outermost function that was found; −1: none. */
  readonly dso: number;
  readonly samples: number;
};

/** How many samples of the events that record stacks have whole ones. */
export type Completeness = {
  /** Samples with a stack. */
  readonly samples: number;
  /** Those whose stack reaches a root: a program's or thread's start, or the kernel's. */
  readonly complete: number;
  /** What the others lack, most samples first. */
  readonly cut: readonly CutStacks[];
};

/**
 * Counts whole stacks. `recordsStacks` says of each event whether it records them; null if none
 * does. `reasons` are the words for `StackEnds.reason`.
 */
export function computeCompleteness(
  profile: Profile,
  ends: StackEnds,
  recordsStacks: readonly boolean[],
  reasons: readonly string[],
): Completeness | null {
  if (!recordsStacks.includes(true)) return null;
  const { samples, stacks, frames } = profile;
  const perDso = reasons.length;
  /** By DSO + 1, then reason. */
  const counts = new Float64Array((profile.dsos.length + 1) * perDso);
  let total = 0;
  let complete = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stack[sample] as number;
    if (stack === NONE || !recordsStacks[samples.event[sample] as number]) continue;
    total++;
    const reason = ends.reason[stack] as number;
    if (reason === NONE) {
      complete++;
      continue;
    }
    const frame = stacks.frame[ends.outermost[stack] as number] as number;
    const slot = ((frames.dso[frame] as number) + 1) * perDso + reason;
    counts[slot] = (counts[slot] as number) + 1;
  }
  const cut: CutStacks[] = [];
  counts.forEach((count, slot) => {
    if (count === 0) return;
    const reason = reasons[slot % perDso] as string;
    cut.push({ reason, dso: Math.floor(slot / perDso) - 1, samples: count });
  });
  cut.sort((a, b) => b.samples - a.samples);
  return { samples: total, complete, cut };
}
