// Random numbers from a seed, so that every trial can be run again.

/** A source of random numbers: `uniform` is in [0, 1). */
export function createRandom(seed) {
  let state = seed >>> 0;
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const between = (low, high) => low + (high - low) * uniform();
  return {
    uniform,
    between,
    integer: (below) => Math.floor(uniform() * below),
    exponential: (mean) => -mean * Math.log(1 - uniform()),
    /** Heavy-tailed: the chance of more than x is (least / x)^shape. */
    pareto: (least, shape) => least * (1 - uniform()) ** (-1 / shape),
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    /** Index into `parts`, each as likely as its part of their sum, which is 1. */
    pick(parts) {
      let left = uniform();
      for (let i = 0; i < parts.length - 1; i++) {
        left -= parts[i];
        if (left < 0) return i;
      }
      return parts.length - 1;
    },
  };
}
