import { NONE } from '../../../base/brand.ts';

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

  /** Counter `id` of the instance that the leader's `streamId` tells. */
  instanceOf(streamId: number, id: number): MemberInstance {
    let instances = this.#instancesOfStream.get(streamId);
    if (instances === undefined) {
      instances = new Map();
      this.#instancesOfStream.set(streamId, instances);
    }
    let instance = instances.get(id);
    if (instance === undefined) {
      instance = new MemberInstance();
      instances.set(id, instance);
    }
    return instance;
  }
}
