/** Both, one behind the other, in memory of their own. */
export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

export function joinInts(first: Int32Array, second: Int32Array): Int32Array<ArrayBuffer> {
  const both = new Int32Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

export function joinFloats(first: Float64Array, second: Float64Array): Float64Array<ArrayBuffer> {
  const both = new Float64Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** A loop copies fewer bytes faster than a view of them does, and leaves no garbage. */
const FEW_BYTES = 256;

/** Copies `count` bytes of `from`, from index `at` on, to `to` at `toAt`. */
export function copyBytes(
  from: Uint8Array,
  at: number,
  count: number,
  to: Uint8Array,
  toAt: number,
): void {
  if (count > FEW_BYTES) to.set(from.subarray(at, at + count), toAt);
  else for (let i = 0; i < count; i++) to[toAt + i] = from[at + i];
}
