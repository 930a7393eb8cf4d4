import { isRunnable } from './wait-states.ts';

/** A wait that has begun, for the row that begins when its thread is woken. */
export type BegunWait = {
  readonly thread: number;
  readonly comm: number;
  readonly stream: number;
  /** Its place among the samples of switches. */
  readonly index: number;
};

/** The task that ran where a thread was woken. */
export type Waker = {
  readonly tid: number;
  /** Null where it is not known. */
  readonly comm: string | null;
  readonly isInterrupt: boolean;
};

/** Finds which wait a wake-up ends, and who woke the thread. */
export class WakeUps {
  /** Threads that wait and were not woken yet, by tid. */
  readonly #begun = new Map<number, BegunWait>();
  readonly #wakers = new Map<string, number>();
  #missing = 0;

  /** Threads that came onto a CPU without the record of their wake-up. */
  get missing(): number {
    return this.#missing;
  }

  /** Names of wakers: `server/1234`, `an interrupt`. */
  get wakers(): string[] {
    return [...this.#wakers.keys()];
  }

  /** A thread left its CPU in `state`. Hot: once per sample of a switch. */
  begin(tid: number, state: number, task: Omit<BegunWait, 'index'>, index: number): void {
    // Who could have gone on is not woken.
    if (isRunnable(state)) this.#begun.delete(tid);
    else this.#begun.set(tid, { thread: task.thread, comm: task.comm, stream: task.stream, index });
  }

  /** A thread came onto a CPU. Nobody comes there asleep: if it was not woken, the record is missing. */
  comeIn(tid: number): void {
    if (this.#begun.delete(tid)) this.#missing++;
  }

  /**
   * The wait that ends when a thread is woken. Null if there is none: the thread is woken twice (its own event
   * and its waker's tell of it), not recorded, or on its CPU yet.
   */
  waitOf(tid: number): BegunWait | null {
    return this.#begun.get(tid) ?? null;
  }

  /** Ends the wait of a thread; the index of its waker in `wakers`. */
  end(tid: number, waker: Waker): number {
    this.#begun.delete(tid);
    const name = nameOf(waker);
    const index = this.#wakers.get(name) ?? this.#wakers.size;
    this.#wakers.set(name, index);
    return index;
  }
}

/** The idle task wakes nobody: an interrupt on its CPU does. */
function nameOf({ tid, comm, isInterrupt }: Waker): string {
  if (tid === 0 || isInterrupt) return 'an interrupt';
  return comm === null ? `tid ${tid}` : `${comm}/${tid}`;
}
