/**
 * What the members of a group counted between two samples of their leader.
 *
 * A group opened as `{a,b}:S` is sampled by its leader only; each sample reads all of its counters.
 * A member's share of a sample is what it counted since the sample before of the same instance,
 * which the leader's stream id tells (an inherited event counts per thread).
 */
export class GroupReads {
  readonly #valuesOfStream = new Map<number, Map<number, number>>();

  /** Events that counter `id` of the instance `streamId` has counted since it was last read. */
  elapsed(streamId: number, id: number, value: number): number {
    let values = this.#valuesOfStream.get(streamId);
    if (values === undefined) {
      values = new Map();
      this.#valuesOfStream.set(streamId, values);
    }
    const before = values.get(id) ?? 0;
    values.set(id, value);
    return value - before;
  }
}
