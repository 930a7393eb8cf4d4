/** `compute` with its results kept by key, null among them: each key is computed once. */
export function memoize<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const results = new Map<Key, Value>();
  return (key) => {
    const known = results.get(key);
    if (known !== undefined || results.has(key)) return known as Value;
    const result = compute(key);
    results.set(key, result);
    return result;
  };
}
