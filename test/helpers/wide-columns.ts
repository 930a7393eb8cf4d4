/**
 * The same value with each narrow column as an `Int32Array` or `Float64Array`, which a page has them as: how
 * small elements are is a matter of memory.
 */
export function wideColumns<Value>(value: Value): Value;
export function wideColumns(value: unknown): unknown {
  if (value instanceof Int8Array || value instanceof Int16Array) return new Int32Array(value);
  if (value instanceof Uint32Array) return new Float64Array(value);
  if (Array.isArray(value)) return value.map((item) => wideColumns<unknown>(item));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, wideColumns<unknown>(part)]),
  );
}
