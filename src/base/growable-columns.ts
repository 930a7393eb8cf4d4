// Columns that grow by doubling while a table is built; `finish()` returns them at exact length.
// One class per element kind, so that a hot function always sees the same kind of array.

const FIRST_CAPACITY = 1024;

/** A growing `Int32Array`. Read `array[i]` for i < `length` only until the next `push`. */
export class GrowableInt32 {
  array: Int32Array;
  length = 0;

  constructor(capacity = FIRST_CAPACITY) {
    this.array = new Int32Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.array.length) {
      this.array = grownInt32(this.array, this.array.length * 2);
    }
    this.array[this.length++] = value;
  }

  finish(): Int32Array {
    return this.array.slice(0, this.length);
  }
}

/** A growing `Float64Array`. */
export class GrowableFloat64 {
  array: Float64Array;
  length = 0;

  constructor(capacity = FIRST_CAPACITY) {
    this.array = new Float64Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.array.length) {
      this.array = grownFloat64(this.array, this.array.length * 2);
    }
    this.array[this.length++] = value;
  }

  finish(): Float64Array {
    return this.array.slice(0, this.length);
  }
}

/** A growing `Uint8Array`. */
export class GrowableUint8 {
  array: Uint8Array;
  length = 0;

  constructor(capacity = FIRST_CAPACITY) {
    this.array = new Uint8Array(capacity);
  }

  push(value: number): void {
    if (this.length === this.array.length) {
      const grown = new Uint8Array(this.array.length * 2);
      grown.set(this.array);
      this.array = grown;
    }
    this.array[this.length++] = value;
  }

  finish(): Uint8Array {
    return this.array.slice(0, this.length);
  }
}

/** A copy of the column with room for `capacity` values; the new ones are 0. */
export function grownInt32(column: Int32Array, capacity: number): Int32Array<ArrayBuffer> {
  const grown = new Int32Array(capacity);
  grown.set(column);
  return grown;
}

export function grownFloat64(column: Float64Array, capacity: number): Float64Array<ArrayBuffer> {
  const grown = new Float64Array(capacity);
  grown.set(column);
  return grown;
}
