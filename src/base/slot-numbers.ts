/** The most slots of an array; it takes 64 MiB then. */
const MOST_IN_ARRAY = 2 ** 24;

/**
 * A whole number for each slot, 0 where none was set. Of many slots, as all pairs of two tables' rows, only
 * those that are set take memory.
 */
export class SlotNumbers {
  readonly #array: Int32Array | null;
  readonly #map = new Map<number, number>();

  constructor(slots: number) {
    this.#array = slots <= MOST_IN_ARRAY ? new Int32Array(slots) : null;
  }

  get(slot: number): number {
    return this.#array === null ? (this.#map.get(slot) ?? 0) : this.#array[slot];
  }

  set(slot: number, value: number): void {
    if (this.#array === null) this.#map.set(slot, value);
    else this.#array[slot] = value;
  }
}
