import {
  fullRawCounter,
  type RawCounter,
  type RawCounterSpec,
} from '../../kernel/events/raw-counter.ts';
import { checkOptions } from '../../options/check.ts';
import { PERFMON, type PerfmonOptions } from '../../options/counting.ts';
import { readEventSources } from '../../system/kernel/machine-events.ts';
import { onlineCpus } from '../../system/kernel/online-cpus.ts';
import { CounterError } from '../count/counter-error.ts';
import type { CounterGroup } from '../count/counter-group.ts';
import { generalCounters } from '../cpu/capabilities.ts';
import { openGroup } from '../groups/open-group.ts';
import { readCores } from './cores.ts';
import { chooseCorePmu, type RawTarget, rawEventText } from './raw-event-text.ts';
import { readKernelRate, readTimeStamp, type TimeStamp } from './time-stamp-counter.ts';

/** The state of one counter when it was read. */
export type CounterValue = {
  /** Since `setup` or `reset`, in the time that it ran; null: started, but never on the PMU. */
  readonly value: bigint | null;
  /** The PMU was shared: `value` is an estimate for all of the time. */
  readonly scaled: boolean;
  /** Share of that time that it was on the PMU; null where it was not started in it. */
  readonly runningShare: number | null;
};

/** Fewest counters where the processor does not say how many it has. */
const LEAST_COUNTERS = 4;
const TIME_STAMP_EVENT = 'msr/tsc/';

/**
 * Counters one by one, with the calls of FreeBSD's perfmon(4) over the kernel's perf events:
 *
 *     using counters = openPerfmon();
 *     counters.setup(0, { event: 0xc0, unitMask: 0, kernel: false });
 *     counters.start(0);
 *     work();
 *     counters.stop(0);
 *     counters.read(0).value;
 *
 * Its rules: a counter's number is below the count of counters; `setup` resets; `reset` wants a
 * counter that is stopped. Other than there, counters start and stop in any order, a second `setup`
 * may name an event of the kernel's (`page-faults`), values are unsigned, and numbers are places of
 * this object: the kernel chooses the register.
 *
 * @example
 * ```ts
 * import { openPerfmon, type PerfmonOptions } from 'perf-ts';
 *
 * const options: PerfmonOptions = { counters: 1 };
 * const counters = openPerfmon(options);
 * counters.setup(0, 'page-faults'); // or { event: 0xc0, unitMask: 0 }, by the processor's manual
 * counters.start(0);
 * new Array(1e6).fill(0);
 * counters.stop(0);
 * console.log(counters.read(0).value);
 * counters.close();
 * ```
 */
export function openPerfmon(options: PerfmonOptions = {}): Perfmon {
  checkOptions(PERFMON, options, 'openPerfmon');
  const { counters, pmu, ...place } = options;
  const core = readCores()[0];
  const capabilities = core?.capabilities ?? null;
  const general = capabilities === null ? 0 : generalCounters(capabilities).count;
  const isAmd = capabilities?.identity.vendor === 'amd';
  const nominal = capabilities?.timeStampRate ?? readKernelRate();
  return new Perfmon({
    count: counters ?? Math.max(general, LEAST_COUNTERS),
    target: () => ({
      pmu: chooseCorePmu(readEventSources(), pmu),
      vendor: process.arch === 'arm64' ? 'arm' : isAmd ? 'amd' : 'intel',
    }),
    open: (event) => openGroup({ counter: event }, place),
    timeStamp: openTimeStamp(),
    nominal,
  });
}

/** A whole CPU where that is allowed: there the counter goes on while the thread sleeps. */
function openTimeStamp(): OpenTimeStamp {
  const cpu = onlineCpus()[0] ?? 0;
  try {
    return { group: openGroup({ tsc: TIME_STAMP_EVENT }, { pid: -1, cpu }), counts: 'cpu' };
  } catch {
    try {
      return { group: openGroup({ tsc: TIME_STAMP_EVENT }), counts: 'thread' };
    } catch (error) {
      if (error instanceof CounterError) return { error };
      // The PMU `msr` is not there, so its name is not known.
      const hints = ['x86 processors have one; elsewhere cpu-clock counts time'];
      const message = 'this machine has no time stamp counter (no PMU msr)';
      return { error: new CounterError('ENOENT', message, hints, { event: TIME_STAMP_EVENT }) };
    }
  }
}

type OpenTimeStamp =
  | { readonly group: CounterGroup<'tsc'>; readonly counts: TimeStamp['counts'] }
  /** The reason why there is none, thrown when it is asked for. */
  | { readonly error: CounterError };

type PerfmonParts = {
  readonly count: number;
  /** Asked for at the first raw counter: named events need no PMU. */
  readonly target: () => RawTarget;
  readonly open: (event: string) => CounterGroup<'counter'>;
  readonly timeStamp: OpenTimeStamp;
  readonly nominal: TimeStamp['nominal'];
};

type Slot = {
  readonly what: RawCounter | string;
  readonly group: CounterGroup<'counter'>;
  isRunning: boolean;
};

/** Single counters, set up, started, stopped and read one by one. Opened by `openPerfmon`. */
export class Perfmon {
  /** Counters are numbered from 0 to below this. */
  readonly counters: number;
  readonly #parts: PerfmonParts;
  readonly #slots: (Slot | null)[];
  #isClosed = false;

  constructor(parts: PerfmonParts) {
    this.#parts = parts;
    this.counters = parts.count;
    this.#slots = new Array<Slot | null>(parts.count).fill(null);
    if ('group' in parts.timeStamp) parts.timeStamp.group.enable();
  }

  /**
   * PMIOSETUP: a raw counter by numbers, or an event by its name. Resets the counter and leaves it
   * stopped. What does not open leaves the counter as it was.
   */
  setup(counter: number, what: RawCounterSpec | string): void {
    const before = this.#slotAt(counter);
    const event = typeof what === 'string' ? what : rawEventText(what, this.#parts.target());
    const group = this.#parts.open(event);
    before?.group.close();
    const kept = typeof what === 'string' ? what : fullRawCounter(what);
    this.#slots[counter] = { what: kept, group, isRunning: false };
  }

  /** PMIOGET: what was set up, all fields filled in; null before `setup`. */
  get(counter: number): RawCounter | string | null {
    return this.#slotAt(counter)?.what ?? null;
  }

  /** PMIOSTART. */
  start(counter: number): void {
    const slot = this.#setUpSlot(counter);
    slot.group.enable();
    slot.isRunning = true;
  }

  /** PMIOSTOP. */
  stop(counter: number): void {
    const slot = this.#setUpSlot(counter);
    slot.group.disable();
    slot.isRunning = false;
  }

  /** PMIORESET: to 0. Throws ERR_RUNNING for a counter that is not stopped. */
  reset(counter: number): void {
    const slot = this.#setUpSlot(counter);
    if (slot.isRunning) {
      throw new CounterError('ERR_RUNNING', `counter ${counter} is running: it cannot be reset`, [
        `stop(${counter}) comes first`,
      ]);
    }
    slot.group.reset();
  }

  /** PMIOREAD, of a counter that runs or is stopped. */
  read(counter: number): CounterValue {
    const { group } = this.#setUpSlot(counter);
    const { counts, scaled, runningShare } = group.read();
    // Never enabled is a true 0; enabled and never on the PMU is unknown.
    const value = runningShare === null ? 0n : counts.counter;
    return { value, scaled, runningShare };
  }

  /** PMIOTSTAMP. Throws CounterError where this machine has no time stamp counter. */
  timeStamp(): TimeStamp {
    this.#checkOpen();
    const { timeStamp, nominal } = this.#parts;
    if ('error' in timeStamp) throw timeStamp.error;
    return readTimeStamp(timeStamp.group, { nominal, counts: timeStamp.counts });
  }

  /** Gives all counters back. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const slot of this.#slots) slot?.group.close();
    if ('group' in this.#parts.timeStamp) this.#parts.timeStamp.group.close();
  }

  /** Closes all counters, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }

  #slotAt(counter: number): Slot | null {
    this.#checkOpen();
    if (!Number.isInteger(counter) || counter < 0 || counter >= this.counters) {
      throw new RangeError(
        `counter: expected a whole number from 0 to ${this.counters - 1}, got ${counter}`,
      );
    }
    return this.#slots[counter] ?? null;
  }

  #setUpSlot(counter: number): Slot {
    const slot = this.#slotAt(counter);
    if (slot !== null) return slot;
    throw new CounterError('ERR_NOT_SET_UP', `counter ${counter} was never set up`, [
      `setup(${counter}, { event, unitMask }) comes first`,
    ]);
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    throw new CounterError('ERR_CLOSED', 'the counters are closed', [
      'openPerfmon() opens them again',
    ]);
  }
}
