import { NONE } from '../../base/brand.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';

/** One counter of one instance of a group. */
class MemberInstance {
  /** Row of the profile's streams, −1 until it has counted anything. */
  stream: number = NONE;
  #value = 0;

  /** What the counter has counted since it was last read. */
  elapsed(value: number): number {
    const elapsed = value - this.#value;
    this.#value = value;
    return elapsed;
  }
}

/**
 * What the members of a group counted between two samples of their leader.
 *
 * A group opened as `{a,b}:S` is sampled by its leader only; each sample reads all of its counters.
 * A member's share of a sample is what it counted since the sample before of the same instance,
 * which the leader's stream id tells (an inherited event counts per thread).
 */
export class GroupReads {
  readonly #instancesOfStream = new Map<number, Map<number, MemberInstance>>();

  /** Counter `id` of the leader's instance `leader` (see `leaderInstance`). */
  instanceOf(leader: number, id: number): MemberInstance {
    let instances = this.#instancesOfStream.get(leader);
    if (instances === undefined) {
      instances = new Map();
      this.#instancesOfStream.set(leader, instances);
    }
    let instance = instances.get(id);
    if (instance === undefined) {
      instance = new MemberInstance();
      instances.set(id, instance);
    }
    return instance;
  }
}

/**
 * The instance of the leader that took a sample: by its stream id or, where none was recorded, by the
 * task that may have inherited it. Ids alone tell instances apart that nobody inherits.
 */
export function leaderInstance(
  { streamId, tid }: Pick<SampleView, 'streamId' | 'tid'>,
  isInherited: boolean,
): number {
  if (streamId >= 0) return streamId;
  return isInherited ? tid : NONE;
}
