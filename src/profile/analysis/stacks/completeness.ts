import { NONE } from '../../../base/brand.ts';
import type { Profile } from '../../types.ts';
import type { StackEnds } from './cut-stacks.ts';

/** Stacks that are cut for one reason in one DSO. */
export type CutStacks = {
  /** The reason in words. */
  readonly reason: string;
  /** DSO of the outermost frame that lies in one; −1: none. */
  readonly dso: number;
  readonly samples: number;
};

/** How many samples of the events that record stacks have whole ones. */
export type Completeness = {
  /** Samples with a stack. */
  readonly samples: number;
  /** Samples whose stack reaches a root: a program's or thread's start, or the kernel's. */
  readonly complete: number;
  /** Samples that cannot be judged: the outermost function has no name. */
  readonly unknown: number;
  /** Reasons why the rest is cut, most samples first. */
  readonly cut: readonly CutStacks[];
};

/**
 * Counts whole stacks. `recordsStacks` says of each event whether it records them; null if none
 * does. `reasons` are the words for `StackEnds.reason`, null for the one of unnamed ends.
 */
export function computeCompleteness(
  profile: Profile,
  ends: StackEnds,
  recordsStacks: readonly boolean[],
  reasons: readonly (string | null)[],
): Completeness | null {
  if (!recordsStacks.includes(true)) return null;
  const { samples, stacks, frames } = profile;
  const perDso = reasons.length;
  /** Counts by DSO + 1, then reason. */
  const counts = new Float64Array((profile.dsos.length + 1) * perDso);
  let total = 0;
  let complete = 0;
  let unknown = 0;
  for (let sample = 0; sample < samples.length; sample++) {
    const stack = samples.stack[sample];
    if (stack === NONE || !recordsStacks[samples.event[sample]]) continue;
    total++;
    const reason = ends.reason[stack];
    if (reason === NONE) {
      complete++;
      continue;
    }
    const last = ends.outermostMapped[stack];
    const dso = last === NONE ? NONE : frames.dso[stacks.frame[last]];
    const slot = (dso + 1) * perDso + reason;
    counts[slot] = counts[slot] + 1;
  }
  const cut: CutStacks[] = [];
  counts.forEach((count, slot) => {
    if (count === 0) return;
    const reason = reasons[slot % perDso];
    if (typeof reason !== 'string') unknown += count;
    else cut.push({ reason, dso: Math.floor(slot / perDso) - 1, samples: count });
  });
  cut.sort((a, b) => b.samples - a.samples);
  return { samples: total, complete, unknown, cut };
}
