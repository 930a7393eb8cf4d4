/** `1.25 s`, with as many digits as `stepNs` apart needs. */
export function formatTick(ns: number, stepNs: number): string {
  const digits = Math.max(0, Math.min(9, Math.ceil(-Math.log10(stepNs / 1e9) - 1e-9)));
  return `${(ns / 1e9).toFixed(digits)} s`;
}
