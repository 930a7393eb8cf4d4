/** The results of the last few different inputs; what was used longest ago goes first. */
export class Recent<Value> {
  readonly #values = new Map<string, Value>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: string, compute: () => Value): Value {
    const known = this.#values.get(key);
    const value = known ?? compute();
    this.#values.delete(key);
    this.#values.set(key, value);
    for (const oldest of this.#values.keys()) {
      if (this.#values.size <= this.#capacity) break;
      this.#values.delete(oldest);
    }
    return value;
  }
}
