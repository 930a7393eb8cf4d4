/**
 * What went wrong without ending the work, counted by reason and shown at the end. One reason is
 * one short sentence; an example says where it was first met.
 */
export class Diagnostics {
  readonly #byReason = new Map<string, { count: number; example: string }>();

  count(reason: string, example = '', times = 1): void {
    const known = this.#byReason.get(reason);
    if (known) known.count += times;
    else this.#byReason.set(reason, { count: times, example });
  }

  /** Every reason with its count and first example, in the order first met. */
  entries(): { reason: string; count: number; example: string }[] {
    return [...this.#byReason].map(([reason, { count, example }]) => ({ reason, count, example }));
  }
}
