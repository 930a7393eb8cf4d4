// Hot: once per sample.

/**
 * When a stream's event was switched out, from the running time that its samples read.
 *
 *     time       ──●─────────────●──────────────●──
 *     running      ████████████   ██        ████        interval i: Δt − Δrunning = off the CPU
 *
 * It says how long, not when, nor how often. A sample's time and its running time are read some
 * hundred nanoseconds apart, on clocks that may run differently by some millionths; a switch to
 * another task and back takes longer than that.
 */

/** Differences up to this come from reading two clocks, nanoseconds … */
const NOISE_NS = 1500;
/** … those from here on from a switch; between the two nothing is known. */
const SWITCHED_NS = 5000;
/** The share by which the two clocks may differ. */
const CLOCK_DRIFT = 1e-4;

/**
 * Time off the CPU before each sample since the one before it, nanoseconds: 0 if the event ran all
 * the time, NaN where that can't be told. Null if no sample tells.
 */
export function offCpuNs(timeNs: Float64Array, runningNs: Float64Array): Float64Array | null {
  const { length } = timeNs;
  const off = new Float64Array(length).fill(Number.NaN);
  let known = 0;
  for (let i = 1; i < length; i++) {
    const elapsed = timeNs[i] - timeNs[i - 1];
    const ran = runningNs[i] - runningNs[i - 1];
    if (!(ran > 0)) continue;
    const lacking = elapsed - ran;
    const drift = elapsed * CLOCK_DRIFT;
    if (lacking <= NOISE_NS + drift) off[i] = 0;
    else if (lacking >= SWITCHED_NS + drift) off[i] = lacking;
    else continue;
    known++;
  }
  return known > 0 ? off : null;
}
