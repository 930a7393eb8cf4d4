// Hot: once per context switch.

/** What the recorder calls the event whose samples weigh what their threads waited. */
export const OFF_CPU_EVENT = 'off-cpu';

/** Samples taken when a thread left its CPU, in time order. */
export type SwitchOuts = {
  readonly length: number;
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
  /** Per row of the outs: nanoseconds off the CPU, 0 where it is not known. */
  readonly offCpuNs: Float64Array;
  /** Outs behind which another one of the same thread follows: the switch between was lost. */
  readonly unpaired: number;
  /** Outs that the end of the recording cut off. */
  readonly cut: number;
};

/**
 * Leads each switch out to the next switch in of the same thread. `endNs`: when the recording ended,
 * where threads that were still waiting are counted up to.
 */
export function pairSwitches(outs: SwitchOuts, ins: SwitchIns, endNs: number): SwitchPairs {
  const offCpuNs = new Float64Array(outs.length);
  /** Thread -> row of its last switch out, of those without an end yet. */
  const waiting = new Map<number, number>();
  let unpaired = 0;
  let next = 0;
  for (let i = 0; i < ins.length; i++) {
    if (ins.isIn[i] !== 1) continue;
    const timeNs = ins.timeNs[i] as number;
    while (next < outs.length && (outs.timeNs[next] as number) < timeNs) {
      const tid = outs.tid[next] as number;
      if (waiting.has(tid)) unpaired++;
      waiting.set(tid, next++);
    }
    const tid = ins.tid[i] as number;
    const row = waiting.get(tid);
    if (row === undefined) continue;
    offCpuNs[row] = timeNs - (outs.timeNs[row] as number);
    waiting.delete(tid);
  }
  for (; next < outs.length; next++) {
    const tid = outs.tid[next] as number;
    if (waiting.has(tid)) unpaired++;
    waiting.set(tid, next);
  }
  for (const row of waiting.values()) {
    offCpuNs[row] = Math.max(0, endNs - (outs.timeNs[row] as number));
  }
  return { offCpuNs, unpaired, cut: waiting.size };
}
