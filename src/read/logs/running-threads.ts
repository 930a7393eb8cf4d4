// Hot: once per sample and context switch.

/** tid of the tasks that the kernel runs where it has nothing to do. */
const IDLE = 0;

/**
 * Counts the recorded threads that are on a CPU. Records come in time order; each also corrects what a lost one, or the time
 * before the recording, left unknown: a CPU runs one thread, and a thread that is sampled runs.
 */
export class RunningThreads {
  readonly #cpuOf = new Map<number, number>();
  readonly #threadOn = new Map<number, number>();

  /** A thread came onto a CPU, or was sampled there. */
  noteOn(tid: number, cpu: number): void {
    const other = this.#threadOn.get(cpu);
    if (other === tid) return;
    if (other !== undefined) this.noteOff(other);
    this.noteOff(tid);
    if (tid === IDLE) return;
    this.#cpuOf.set(tid, cpu);
    this.#threadOn.set(cpu, tid);
  }

  /** A thread left its CPU, or ended: the kernel writes no switch of what has ended. */
  noteOff(tid: number): void {
    const cpu = this.#cpuOf.get(tid);
    if (cpu === undefined) return;
    this.#cpuOf.delete(tid);
    this.#threadOn.delete(cpu);
  }

  /** The number of threads that run while this one is sampled on this CPU: 1 or more. */
  countAt(tid: number, cpu: number): number {
    this.noteOn(tid, cpu);
    return Math.max(1, this.#cpuOf.size);
  }
}
