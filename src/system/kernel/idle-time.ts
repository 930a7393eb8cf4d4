import { readTextOrNull } from '../small-file.ts';

/** Linux counts in `/proc/stat` by this unit on every architecture: USER_HZ is 100. */
const MS_PER_TICK = 10;

/**
 * Time that the CPUs of this machine had nothing to run since it was started, all CPUs together, in milliseconds; null
 * where `/proc/stat` cannot be read. The line is `cpu  USER NICE SYSTEM IDLE IOWAIT …` in ticks.
 */
function readIdleMs(): number | null {
  const text = readTextOrNull('/proc/stat');
  const match = text === null ? null : /^cpu +\d+ \d+ \d+ (\d+) (\d+)/.exec(text);
  return match === null ? null : (Number(match[1]) + Number(match[2])) * MS_PER_TICK;
}

/** Measures from its construction on how many CPUs had nothing to run. */
export class IdleMeter {
  readonly #startedMs = performance.now();
  readonly #idleMs = readIdleMs();

  /** The mean number of idle CPUs since; null where it is not known. */
  idleCpus(): number | null {
    const idleMs = readIdleMs();
    const elapsedMs = performance.now() - this.#startedMs;
    if (idleMs === null || this.#idleMs === null || elapsedMs <= 0) return null;
    return (idleMs - this.#idleMs) / elapsedMs;
  }
}
