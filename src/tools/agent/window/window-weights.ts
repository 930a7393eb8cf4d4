import type { LossGap } from '../../../period/types.ts';
import { commonUnit } from '../../../period/weights.ts';
import type { Profile, Weights } from '../../../profile/types.ts';

/** A LOST record's time is taken a moment after that of the record that it precedes. */
const LOST_LATENESS_NS = 100_000;

/**
 * Computes what each sample of a window counts for: what its counter has counted since its CPU's previous sample,
 * in whatever window that was. So the sums of all windows are the counters' values:
 *
 *     window       ├──────── 1 ────────┤├──────── 2 ────────┤
 *     samples      ───●──────●──────●────────●──────●─────●──
 *     weight          w      w      w        w, from the last sample of window 1 on
 *
 * Under loss a sample gets its own period, and the rest of the interval is `lostBefore`. Unlike the weights
 * of a recording (`src/period/`) those of a clock are what its counter says, not its timer's period: a timer
 * that comes late on a busy machine leaves no time out.
 */
export class WindowWeights {
  /** Counter values by event and CPU: the instances of a machine. */
  readonly #counted = new Map<number, number>();
  readonly #lostOn = new Set<number>();
  #total = 0;

  /** Σ of all weights and losses so far: what the counters had counted by their last samples. */
  get total(): number {
    return this.#total;
  }

  /** `gaps`: LOST records of the window. Call it for every window, in order. */
  compute({ samples, events }: Profile, gaps: readonly LossGap[]): Weights {
    const { length, event, cpu, count, timeNs, periodEvents } = samples;
    const values = new Float64Array(length);
    const lostBefore = new Float64Array(length);
    const pending = gaps.toSorted((a, b) => a.timeNs - b.timeNs);
    let nextGap = 0;
    for (let row = 0; row < length; row++) {
      while (
        nextGap < pending.length &&
        pending[nextGap].timeNs <= timeNs[row] + LOST_LATENESS_NS
      ) {
        this.#lostOn.add(pending[nextGap++].cpu);
      }
      const instance = event[row] * MOST_CPUS + cpu[row] + 1;
      const read = count === null ? Number.NaN : count[row];
      const counted = read - (this.#counted.get(instance) ?? 0);
      // NaN (not read) and a counter that began anew, as that of a CPU that was offline, fail this.
      const weight = counted >= 0 ? counted : periodEvents[row];
      const own = this.#lostOn.delete(cpu[row]) ? Math.min(weight, periodEvents[row]) : weight;
      values[row] = own;
      lostBefore[row] = weight - own;
      this.#total += weight;
      this.#counted.set(instance, read);
    }
    for (; nextGap < pending.length; nextGap++) this.#lostOn.add(pending[nextGap].cpu);
    const hasLoss = lostBefore.some((lost) => lost > 0);
    return { kind: 'events', unit: commonUnit(events), values, ...(hasLoss && { lostBefore }) };
  }

  /**
   * Adds to these samples, at the end, what the counters of all CPUs together have counted after them, in
   * `values`, by the time since each. Not where the last window has no samples: then the total tells.
   */
  addTail({ samples }: Profile, values: Float64Array, counted: number, endNs: number): void {
    const tail = counted - this.#total;
    const lastOf = new Map<number, number>();
    for (let row = 0; row < samples.length; row++) lastOf.set(samples.cpu[row], row);
    const rows = [...lastOf.values()];
    const pending = rows.map((row) => Math.max(1, endNs - samples.timeNs[row]));
    const sum = pending.reduce((all, ns) => all + ns, 0);
    if (!(tail > 0) || rows.length === 0) return;
    rows.forEach((row, i) => {
      values[row] += (tail * pending[i]) / sum;
    });
    this.#total += tail;
  }
}

const MOST_CPUS = 2 ** 20;
