/** Share of a CPU below which a program is idle: timers and keep-alives of a server at rest take less. */
const IDLE_SHARE = 0.02;
/** The share of a CPU from which on a server is busy. */
const BUSY_SHARE = 0.1;

/** Finds out when a program that has worked is at rest: it used nearly no CPU for `idleMs`. */
export class IdleWatch {
  readonly #idleMs: number;
  #wasBusy: boolean;
  #lastMs: number | null = null;
  #lastCpuMs = 0;
  #idleSinceMs: number | null = null;

  /** `wasBusy`: it has worked before, so rest alone is waited for. */
  constructor(idleMs: number, wasBusy: boolean) {
    this.#idleMs = idleMs;
    this.#wasBusy = wasBusy;
  }

  /** Takes a reading: the time, and the CPU time that was used until then. True once it is idle. */
  add(nowMs: number, cpuMs: number): boolean {
    const lastMs = this.#lastMs;
    // Less than before where a process ended and its parent has not yet waited for it.
    const used = Math.max(0, cpuMs - this.#lastCpuMs);
    this.#lastMs = nowMs;
    this.#lastCpuMs = cpuMs;
    if (lastMs === null || nowMs <= lastMs) return false;
    const share = used / (nowMs - lastMs);
    if (share >= BUSY_SHARE) this.#wasBusy = true;
    if (share >= IDLE_SHARE || !this.#wasBusy) this.#idleSinceMs = null;
    else this.#idleSinceMs ??= lastMs;
    return this.#idleSinceMs !== null && nowMs - this.#idleSinceMs >= this.#idleMs;
  }
}
