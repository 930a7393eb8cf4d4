import { NONE } from '../../base/brand.ts';
import type { Diagnostics } from '../../base/diagnostics.ts';
import { GrowableFloat64, GrowableInt32, GrowableUint8 } from '../../base/growable-columns.ts';
import type { ProcessTable } from '../../code/process/process-table.ts';
import { SWITCH_STATE, type SwitchTable } from '../../formats/export/recording-marks.ts';
import type { PerfData } from '../../formats/perf-data/reader.ts';
import type { SampleView } from '../../kernel/perf-event/sample.ts';
import { pairSwitches, WAKE_UP_EVENT } from '../../profile/off-cpu/switch-pairs.ts';
import type { Waits } from '../../profile/off-cpu/wait-reasons.ts';
import {
  isEnded,
  STATE_PREEMPTED,
  STATE_UNKNOWN,
  STATE_WOKEN,
} from '../../profile/off-cpu/wait-states.ts';
import { type BegunWait, WakeUps } from '../../profile/off-cpu/wake-ups.ts';
import { OFF_CPU_EVENT } from '../../profile/wait-event.ts';
import { findField, lower32, type RawField } from './raw-field.ts';

/** Fields of the two tracepoints, null where the recording has them not. */
type RawFields = {
  /** `prev_state` of `sched:sched_switch`. */
  readonly state: RawField | null;
  /** `pid` of `sched:sched_waking`, which is the tid of the woken thread; its `common_flags`. */
  readonly woken: RawField | null;
  readonly flags: RawField | null;
};

/** TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ of `common_flags`. */
const IN_INTERRUPT = 0x08 | 0x10;

/** Collects the samples of an `off-cpu` event, and gives them their times in the end. */
export class OffCpuLog {
  readonly #littleEndian: boolean;
  readonly #fields: RawFields;
  readonly #row = new GrowableInt32();
  readonly #tid = new GrowableInt32();
  readonly #timeNs = new GrowableFloat64();
  readonly #state = new GrowableInt32();

  readonly #isWakeUp = new GrowableUint8();
  readonly #waker = new GrowableInt32();
  readonly #wakeUps = new WakeUps();

  private constructor(littleEndian: boolean, fields: RawFields) {
    this.#littleEndian = littleEndian;
    this.#fields = fields;
  }

  /**
   * Index of the recording's `off-cpu` event among its attrs, and of that of wake-ups, −1 without one;
   * and their log.
   */
  static find(data: PerfData): { attrIndex: number; wakeUpIndex: number; log: OffCpuLog } {
    const attrIndex = data.attrs.findIndex(({ name }) => name === OFF_CPU_EVENT);
    const wakeUpIndex = data.attrs.findIndex(({ name }) => name === WAKE_UP_EVENT);
    const fields = {
      state: findField(data, attrIndex, 'prev_state'),
      woken: findField(data, wakeUpIndex, 'pid'),
      flags: findField(data, wakeUpIndex, 'common_flags'),
    };
    return { attrIndex, wakeUpIndex, log: new OffCpuLog(data.littleEndian, fields) };
  }

  /**
   * `prev_state` of a sample, `STATE_UNKNOWN` where it has none. Null: no wait begins with it, for the
   * thread has ended or is a CPU's idle task.
   */
  stateOf(sample: SampleView): number | null {
    if (sample.tid === 0) return null;
    const state = lower32(sample, this.#fields.state, this.#littleEndian);
    if (state === null) return STATE_UNKNOWN;
    return isEnded(state) ? null : state;
  }

  // Hot: once per sample.
  note(row: number, state: number, sample: SampleView, task: Omit<BegunWait, 'index'>): void {
    const { tid } = sample;
    const index = this.#add(row, state, tid, sample.timeNs);
    if (this.#fields.woken !== null) this.#wakeUps.begin(tid, state, task, index);
  }

  /** A thread came onto a CPU. */
  noteIn(tid: number): void {
    this.#wakeUps.comeIn(tid);
  }

  /** The wait that a sample of `sched:sched_waking` ends; null if there is none. */
  waitOfWoken(sample: SampleView): BegunWait | null {
    const tid = lower32(sample, this.#fields.woken, this.#littleEndian);
    return tid === null ? null : this.#wakeUps.waitOf(tid);
  }

  /** `row` begins with the wake-up of `wait`; the sample was taken where the waker ran. */
  noteWakeUp(
    row: number,
    wait: BegunWait,
    sample: SampleView,
    processes: Pick<ProcessTable, 'knownComm'>,
  ): void {
    const tid = this.#tid.array[wait.index];
    const last = this.#add(row, STATE_WOKEN, tid, sample.timeNs);
    this.#isWakeUp.array[last] = 1;
    const { flags } = this.#fields;
    const isInterrupt =
      flags !== null &&
      (sample.view.getUint8(sample.rawOffset + flags.offset) & IN_INTERRUPT) !== 0;
    const waker = { tid: sample.tid, comm: processes.knownComm(sample.tid), isInterrupt };
    this.#waker.array[last] = this.#wakeUps.end(tid, waker);
  }

  #add(row: number, state: number, tid: number, timeNs: number): number {
    this.#row.push(row);
    this.#tid.push(tid);
    this.#timeNs.push(timeNs);
    this.#state.push(state);
    this.#isWakeUp.push(0);
    this.#waker.push(NONE);
    return this.#row.length - 1;
  }

  /** Samples have changed places: `newRow` by old row. */
  moveRows(newRow: Uint32Array): void {
    const { array, length } = this.#row;
    for (let i = 0; i < length; i++) array[i] = newRow[array[i]];
  }

  /**
   * Writes the waits into the samples' periods, and the stacks of waits into the rows of their wake-ups.
   * Returns them with their states and wakers.
   */
  finish(
    samples: Record<'periodEvents' | 'stack', { [row: number]: number }>,
    switches: SwitchTable,
    lastNs: number,
    diagnostics: Diagnostics,
  ): Waits {
    const { length } = this.#row;
    const row = this.#row.finish();
    const state = this.#state.finish();
    const waker = this.#waker.finish();
    const waits = { length, row, state, waker, wakers: this.#wakeUps.wakers };
    if (length === 0) return waits;
    const isIn = switches.state.map((kind) => (kind === SWITCH_STATE.IN ? 1 : 0));
    const isWakeUp = this.#isWakeUp.finish();
    const outs = { length, isWakeUp, tid: this.#tid.finish(), timeNs: this.#timeNs.finish() };
    const endNs = Math.max(lastNs, switches.timeNs[switches.length - 1] ?? 0);
    const pairs = pairSwitches(outs, { ...switches, isIn }, endNs);
    const { periodEvents, stack } = samples;
    const lastOf = new Map<number, number>();
    for (let i = 0; i < length; i++) {
      const at = row[i];
      periodEvents[at] = pairs.offCpuNs[i];
      const tid = outs.tid[i];
      if (isWakeUp[i] === 1) stack[at] = stack[lastOf.get(tid) as number];
      else lastOf.set(tid, at);
    }
    if (this.#fields.state === null) markPreempted(outs, switches, state);
    if (pairs.unpaired > 0) {
      diagnostics.count('wait-end-lost', 'they count for nothing', pairs.unpaired);
    }
    if (this.#wakeUps.missing > 0) {
      const effect = 'they count as waiting until their thread had a CPU';
      diagnostics.count('wake-up-unrecorded', effect, this.#wakeUps.missing);
    }
    return waits;
  }
}

/**
 * Marks preempted threads where there is no `prev_state`: the record of the switch says at least
 * whether the thread could have gone on. The sample is taken right before it.
 */
function markPreempted(
  outs: { readonly length: number; readonly tid: Int32Array; readonly timeNs: Float64Array },
  switches: SwitchTable,
  state: Int32Array,
): void {
  const last = new Map<number, number>();
  let next = 0;
  for (let i = 0; i < switches.length; i++) {
    const timeNs = switches.timeNs[i];
    for (; next < outs.length && outs.timeNs[next] <= timeNs; next++) {
      last.set(outs.tid[next], next);
    }
    if (switches.state[i] !== SWITCH_STATE.PREEMPTED) continue;
    const row = last.get(switches.tid[i]);
    if (row !== undefined) state[row] = STATE_PREEMPTED;
  }
}
