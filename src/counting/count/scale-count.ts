/**
 * The count scaled to the whole of the enabled time: value · enabled ÷ running, to the nearest
 * whole event. Null for a counter that never ran: nothing is known of it.
 */
export function scaleCount(value: bigint, enabledNs: bigint, runningNs: bigint): bigint | null {
  if (runningNs === 0n) return null;
  if (runningNs >= enabledNs) return value;
  return (2n * value * enabledNs + runningNs) / (2n * runningNs);
}
