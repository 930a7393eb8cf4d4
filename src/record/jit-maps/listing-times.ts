/** A process that has just begun may still go into another namespace, as runtimes of containers do. */
const MAY_STILL_MOVE_MS = 1000;
/** One that has been there may go, too; it rarely does. */
const RARELY_MS = 2000;

/**
 * Times at which it is worth to list the processes of a machine again: while there are new ones, and now and then. The mappings of
 * a recording show that, or the pid that the kernel gave away last, which takes a hundredth of the time of a list.
 */
export class ListingTimes {
  #newest: number | null = null;
  #newUntilMs = Number.NEGATIVE_INFINITY;
  #listedMs = Number.NEGATIVE_INFINITY;

  /** `newest`: another number with each new process; null: not known. What is due counts as done. */
  isDue(nowMs: number, newest: number | null): boolean {
    if (newest === null || newest !== this.#newest) this.#newUntilMs = nowMs + MAY_STILL_MOVE_MS;
    this.#newest = newest;
    if (nowMs >= this.#newUntilMs && nowMs < this.#listedMs + RARELY_MS) return false;
    this.#listedMs = nowMs;
    return true;
  }
}
