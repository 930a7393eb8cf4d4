import { CounterError } from './counter-error.ts';
import { GroupLayout } from './group-layout.ts';
import { type GroupReading, readingOf } from './group-reading.ts';

const TWO_32 = 2 ** 32;

/** The open counters, as the addon gives them (`NativeCounterGroup`) or a test draws them. */
export type CounterHandle = {
  /** The kernel's ids, in the order of the keys. */
  readonly ids: BigUint64Array;
  enable(): void;
  disable(): void;
  /** The kernel's bytes into `into`; how many. */
  read(into: BigUint64Array): number;
  close(): void;
};

/** Reads the counters in user space, without a system call. */
export type UserReader = {
  /** The counts that the last `read` found, in the order of the keys. */
  readonly values: BigUint64Array;
  /** False where that is not possible now, and after the group was closed. */
  read(): boolean;
};

/** A stretch of code, what was counted in it, and what it returned. */
export type Measured<Key extends string, Value> = GroupReading<Key> & {
  readonly value: Value;
  /**
   * True for an asynchronous function: everything that the thread did until its promise settled is
   * counted, other tasks of the event loop included.
   */
  readonly shared: boolean;
};

/**
 * Events that are on the PMU together or not at all, so that their counts may be divided by each
 * other. Opened by `openGroup`; it counts nothing until it is enabled or measures.
 *
 * A group is for the thread that opened it: JavaScript gives it to no other.
 */
export class CounterGroup<Key extends string> {
  /** The events that were asked for, in their order. */
  readonly keys: readonly Key[];
  readonly #handle: CounterHandle;
  readonly #layout: GroupLayout;
  /** The reading that `read` counts from: the kernel resets values only, and never the times. */
  readonly #base: BigUint64Array<ArrayBuffer>;
  readonly #baseHalves: Uint32Array;
  readonly #readUser: (() => boolean) | null;
  /** Its values as halves. */
  readonly #userHalves: Uint32Array;
  /** Measurements under way: the outermost one enables and disables. */
  #depth = 0;
  #isEnabled = false;
  #isClosed = false;

  constructor(
    keys: readonly Key[],
    handle: CounterHandle,
    format: { readonly hasLost: boolean; readonly userReader?: UserReader | null },
  ) {
    this.keys = keys;
    this.#handle = handle;
    this.#layout = new GroupLayout(handle.ids, format.hasLost);
    const { userReader = null } = format;
    this.#readUser = userReader?.read ?? null;
    const userValues = userReader?.values ?? new BigUint64Array(0);
    this.#userHalves = new Uint32Array(userValues.buffer);
    this.#base = new BigUint64Array(keys.length + 2);
    this.#baseHalves = new Uint32Array(this.#base.buffer);
  }

  get closed(): boolean {
    return this.#isClosed;
  }

  /** Starts counting, all events at once. */
  enable(): void {
    this.#checkOpen();
    this.#handle.enable();
    this.#isEnabled = true;
  }

  /** Stops counting; the counts stay. */
  disable(): void {
    this.#checkOpen();
    this.#handle.disable();
    this.#isEnabled = false;
  }

  /**
   * Counts from 0 again. The counters themselves go on: their present values and times are
   * kept and subtracted, because the kernel resets values but not the times that scale them.
   */
  reset(): void {
    this.#base.set(this.#readSnapshot());
  }

  /** Counts since the opening or the last `reset`. One system call. */
  read(): GroupReading<Key> {
    return this.#since(this.#base);
  }

  /**
   * The raw values since the opening or the last `reset` into the front of `into`, in the order of
   * `keys`: exact below 2^53, not scaled, nothing allocated. Tells how they were read: by rdpmc,
   * one after the other, where the PMU lets user space read its counters, else by one read(2).
   */
  readInto(into: Float64Array): 'rdpmc' | 'read' {
    const keys = this.keys;
    const baseHalves = this.#baseHalves;
    if (into.length < keys.length) {
      throw new RangeError(`into: expected ${keys.length} elements, got ${into.length}`);
    }
    if (this.#readUser?.() === true) {
      const userHalves = this.#userHalves;
      for (let i = 0; i < keys.length; i++) {
        const high = userHalves[2 * i + 1] - baseHalves[2 * i + 1];
        into[i] = high * TWO_32 + (userHalves[2 * i] - baseHalves[2 * i]);
      }
      return 'rdpmc';
    }
    this.#readWords();
    this.#layout.differences(baseHalves, into);
    return 'read';
  }

  /**
   * Counts what `fn` does. The set-up around it is not counted: the group is enabled for `fn` alone,
   * unless it is enabled already or another measurement is under way; then the difference of two
   * readings is taken, which counts most of one read besides (`measureOverhead` tells how much).
   *
   * Of an asynchronous function everything is counted that the thread does until the promise settles
   * (`shared`). What `fn` throws passes through.
   */
  measure<Value>(fn: () => PromiseLike<Value>): Promise<Measured<Key, Value>>;
  measure<Value>(fn: () => Value): Measured<Key, Value>;
  measure<Value>(
    fn: () => Value | PromiseLike<Value>,
  ): Measured<Key, Value> | Promise<Measured<Key, Value>> {
    const before = this.#enter();
    let value: Value | PromiseLike<Value>;
    try {
      value = fn();
    } catch (error) {
      this.#abandon();
      throw error;
    }
    if (!isPromise(value)) return { ...this.#leave(before), value, shared: false };
    return Promise.resolve(value).then(
      (settled) => ({ ...this.#leave(before), value: settled, shared: true }),
      (error: unknown) => {
        this.#abandon();
        throw error;
      },
    );
  }

  /** Gives the counters back. Every call after it, but this one, throws ERR_CLOSED. */
  close(): void {
    this.#isClosed = true;
    this.#handle.close();
  }

  /** Closes the group, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  #enter(): BigUint64Array<ArrayBuffer> {
    const before = this.#readSnapshot();
    if (this.#depth === 0 && !this.#isEnabled) this.#handle.enable();
    this.#depth++;
    return before;
  }

  #leave(before: BigUint64Array<ArrayBuffer>): GroupReading<Key> {
    this.#abandon();
    return this.#since(before);
  }

  /** Ends a measurement without a reading. A function may have closed the group. */
  #abandon(): void {
    this.#depth--;
    if (this.#depth === 0 && !this.#isEnabled && !this.#isClosed) this.#handle.disable();
  }

  #readWords(): void {
    this.#checkOpen();
    this.#layout.accept(this.#handle.read(this.#layout.words));
  }

  #readSnapshot(): BigUint64Array<ArrayBuffer> {
    this.#readWords();
    return this.#layout.snapshot();
  }

  /** Reads, and tells what was counted since a snapshot. */
  #since(earlier: BigUint64Array): GroupReading<Key> {
    const now = this.#readSnapshot();
    const delta = (at: number) => BigInt.asUintN(64, now[at] - earlier[at]);
    const { length } = this.keys;
    return readingOf(this.keys, {
      values: this.keys.map((_, event) => delta(event)),
      enabledNs: delta(length),
      runningNs: delta(length + 1),
    });
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new CounterError('ERR_CLOSED', 'the counter group is closed', [
      'close() gave its counters back: open a group again to count',
    ]);
  }
}

function isPromise<Value>(value: Value | PromiseLike<Value>): value is PromiseLike<Value> {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as PromiseLike<Value>).then === 'function'
  );
}
