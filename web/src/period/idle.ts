/** Times as many as between most points: nothing was measured in between. */
const IDLE_INTERVALS = 20;

/** Points behind which a line would lead through idleness. */
export function idleAfter(timeNs: Float64Array): ReadonlySet<number> {
  const intervals = timeNs.slice(1).map((time, index) => time - timeNs[index]);
  const usual = [...intervals].sort((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  const found = new Set<number>();
  for (const [index, interval] of intervals.entries()) {
    if (interval > IDLE_INTERVALS * usual) found.add(index);
  }
  return found;
}
