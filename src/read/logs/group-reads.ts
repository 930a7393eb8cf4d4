import { NONE } from '../../base/brand.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';

/** One counter of one instance of a group. */
export class MemberInstance {
  /** Row of the profile's streams, −1 until it has counted anything. */
  stream: number = NONE;
  /** The events between the last two samples that read the counter. */
  elapsed = 0;
  #value = 0;

  read(value: number): this {
    this.elapsed = value - this.#value;
    this.#value = value;
    return this;
  }
}

/**
 * The counts that the members of a group made between two samples of their leader.
 *
 * A group opened as `{a,b}:S` is sampled by its leader only; each sample reads all of its counters.
 * A member's share of a sample is what it counted since the sample before of the same instance,
 * which the leader's stream id tells (an inherited event counts per thread).
 */
export class GroupReads {
  readonly #instancesOfStream = new Map<number, Map<number, MemberInstance>>();

  /** The counter `id` has `value` in a sample of its leader. */
  read(
    sample: Pick<SampleView, 'streamId' | 'tid'>,
    isInherited: boolean,
    id: number,
    value: number,
  ): MemberInstance {
    const leader = leaderInstance(sample, isInherited);
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
    return instance.read(value);
  }
}

/**
 * The instance of the leader that took a sample: by its stream id or, where none was recorded, by the
 * task that may have inherited it. Ids alone tell instances apart that nobody inherits.
 */
function leaderInstance(
  { streamId, tid }: Pick<SampleView, 'streamId' | 'tid'>,
  isInherited: boolean,
): number {
  if (streamId >= 0) return streamId;
  return isInherited ? tid : NONE;
}
