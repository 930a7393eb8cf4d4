import { NONE } from '../../base/brand.ts';
import { formatShare } from '../../base/numbers.ts';
import { printable } from '../../base/printable.ts';
import { finish } from '../../base/slices.ts';
import {
  firstEvent,
  groupSamples,
  type SampleSelection,
  selectSamples,
} from '../../profile/analysis/select/filter.ts';
import type { Profile, Weights } from '../../profile/types.ts';
import { isTimed } from './cpuprofile-timeline.ts';
import { withUnitOf } from './weight-title.ts';

/** The part of a selection that one .cpuprofile holds: one event of one thread. */
export type CpuProfilePart = {
  /** Row of `Profile.threads`; −1 where the selection has no sample. */
  readonly thread: number;
  readonly event: number;
  readonly rows: Int32Array;
  /** The weights in the unit of the event. */
  readonly weights: Weights;
  /** Share of the selected weight of this event, 0…1. */
  readonly share: number;
  /** Threads with selected samples of the event. */
  readonly threads: number;
};

/**
 * Chooses the thread: of main threads that ran JavaScript the one with the largest weight in stacks
 * with JavaScript; else another thread that did, else the one with the largest weight.
 */
export function chooseCpuProfilePart(
  profile: Profile,
  weights: Weights,
  select: SampleSelection = {},
): CpuProfilePart {
  const { samples, threads } = profile;
  const event = select.event ?? firstEvent(profile);
  const rows = finish(selectSamples(profile, { ...select, event }));
  const groups = finish(groupSamples(rows, samples.thread, threads.length));
  const hasScript = scriptStacks(profile);
  let chosen: number = NONE;
  let best: readonly number[] = [-1];
  let met = 0;
  let all = 0;
  let weightOfBest = 0;
  for (const [thread, { pid, tid }] of threads.entries()) {
    let weight = 0;
    let inScript = 0;
    for (let i = groups.starts[thread]; i < groups.starts[thread + 1]; i++) {
      const sample = groups.samples[i];
      const stack = samples.stack[sample];
      weight += weights.values[sample];
      if (stack !== NONE && hasScript[stack] === 1) inScript += weights.values[sample];
    }
    if (groups.starts[thread] === groups.starts[thread + 1]) continue;
    met++;
    all += weight;
    const rank = [inScript > 0 && pid === tid ? 1 : 0, inScript, weight];
    if (!isLarger(rank, best)) continue;
    best = rank;
    chosen = thread;
    weightOfBest = weight;
  }
  const described = profile.events[event];
  return {
    thread: chosen,
    event,
    rows:
      chosen === NONE
        ? new Int32Array(0)
        : groups.samples.subarray(groups.starts[chosen], groups.starts[chosen + 1]),
    weights: described === undefined ? weights : withUnitOf(described, weights),
    share: all === 0 ? 0 : weightOfBest / all,
    threads: met,
  };
}

/** Compares from the first figure to the last. */
function isLarger(rank: readonly number[], best: readonly number[]): boolean {
  const at = rank.findIndex((figure, i) => figure !== best[i]);
  return at >= 0 && rank[at] > (best[at] ?? -1);
}

/** 1 for each stack row with a function of JavaScript in it. */
function scriptStacks(profile: Profile): Uint8Array {
  const { stacks, frames } = profile;
  const { isScript } = profile.funcs;
  const found = new Uint8Array(stacks.length);
  for (let row = 0; row < stacks.length; row++) {
    const prefix = stacks.prefix[row];
    const inherited = prefix === NONE ? 0 : found[prefix];
    found[row] = inherited | isScript[frames.func[stacks.frame[row]]];
  }
  return found;
}

/** The choice in sentences: which thread and event it is, and what a microsecond stands for. */
export function explainCpuProfilePart(profile: Profile, part: CpuProfilePart): string[] {
  const thread = profile.threads[part.thread];
  const event = profile.events[part.event];
  if (thread === undefined || event === undefined) return ['no sample is selected'];
  const { unit } = part.weights;
  const name = printable(event.name);
  const others = part.threads - 1;
  const tid = thread.tid < 0 ? '' : ` (tid ${thread.tid})`;
  const share = `${formatShare(part.share)} of the selected ${name}`;
  return [
    `the thread ${printable(thread.comm)}${tid}, ${share}` +
      (others > 0
        ? `; ${others} more ${others === 1 ? 'has' : 'have'} samples: select another by its tid`
        : ''),
    ...(isTimed(part.weights)
      ? []
      : [
          unit === 'samples'
            ? 'a microsecond in it stands for one sample, not for time'
            : `a microsecond in it stands for one event of ${name}, not for time`,
        ]),
  ];
}
