// Hot: once per context switch.

/** The recorder's name of the event of wake-ups, which has no samples of its own in a profile. */
export const WAKE_UP_EVENT = 'off-cpu-wake-up';

/** Samples taken when a thread left its CPU and, where it is known, was woken, in time order. */
export type SwitchOuts = {
  readonly length: number;
  /** 1 where the thread was woken: what it waited for is there, a CPU is not. */
  readonly isWakeUp: Uint8Array;
  readonly tid: Int32Array;
  /** Nanoseconds since the session's start. */
  readonly timeNs: Float64Array;
};

/** When threads came onto a CPU, in time order. */
export type SwitchIns = {
  readonly length: number;
  readonly tid: Int32Array;
  readonly timeNs: Float64Array;
  /** 1 where it is one; other rows are skipped. */
  readonly isIn: Uint8Array;
};

export type SwitchPairs = {
  /**
   * Per row of the outs: nanoseconds off the CPU, until the thread was woken or, where that is not known,
   * came back; 0 where neither is.
   */
  readonly offCpuNs: Float64Array;
  /**
   * Outs behind which another one of the same thread follows, because the switch between was lost, and those
   * whose end has no time behind them.
   */
  readonly unpaired: number;
  /** Outs that the end of the recording cut off. */
  readonly cut: number;
};

/**
 * Leads each switch out to the next switch in of the same thread, by way of its wake-up. `endNs`: when the recording ended,
 * where threads that were still waiting are counted up to.
 */
export function pairSwitches(outs: SwitchOuts, ins: SwitchIns, endNs: number): SwitchPairs {
  const offCpuNs = new Float64Array(outs.length);
  /** Thread -> row of its last switch out, of those without an end yet. */
  const waiting = new Map<number, number>();
  let unpaired = 0;
  let next = 0;
  const end = (row: number, timeNs: number): void => {
    const lasted = timeNs - outs.timeNs[row];
    if (lasted >= 0) offCpuNs[row] = lasted;
    else unpaired++;
  };
  const begin = (row: number): void => {
    const tid = outs.tid[row];
    const before = waiting.get(tid);
    if (before !== undefined) {
      if (outs.isWakeUp[row] === 0) unpaired++;
      else end(before, outs.timeNs[row]);
    }
    waiting.set(tid, row);
  };
  for (let i = 0; i < ins.length; i++) {
    if (ins.isIn[i] !== 1) continue;
    const timeNs = ins.timeNs[i];
    while (next < outs.length && outs.timeNs[next] < timeNs) begin(next++);
    const tid = ins.tid[i];
    const row = waiting.get(tid);
    if (row === undefined) continue;
    end(row, timeNs);
    waiting.delete(tid);
  }
  while (next < outs.length) begin(next++);
  for (const row of waiting.values()) {
    // The thread may have left its CPU right behind all else.
    end(row, Math.max(endNs, outs.timeNs[row]));
  }
  return { offCpuNs, unpaired, cut: waiting.size };
}
